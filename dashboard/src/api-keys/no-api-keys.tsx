import { Button } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { EmptyState } from '../page/empty-state.tsx';
import { usePermission } from '../session/permission.ts';

/** The empty state of the key list. */
export function NoApiKeys({ onGenerate }: { onGenerate: () => void }) {
  const { may } = usePermission();
  return (
    <EmptyState
      title="No API keys yet"
      icon={IconKey}
      action={may('settings:keys') && <Button onClick={onGenerate}>Generate your first key</Button>}
    >
      With an API key, your website or app can add contacts, track events and send emails. Give each app its own key.
    </EmptyState>
  );
}
