import { Button, Group } from '@mantine/core';
import { usePermission } from '../session/permission.ts';
import { type ApiKey, isOver } from './api-keys.ts';

type Props = { apiKey: ApiKey; onRevoke: (key: ApiKey) => void; onRotate: (key: ApiKey) => void; onChange: (key: ApiKey) => void };

/** The actions for a key that still works. */
export function KeyActions({ apiKey, onRevoke, onRotate, onChange }: Props) {
  const { may } = usePermission();
  if (isOver(apiKey) || !may('settings:keys')) return null;
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      <Button size="compact-sm" variant="subtle" aria-label={`Edit ${apiKey.name}`} onClick={() => onChange(apiKey)}>
        Edit
      </Button>
      {apiKey.status === 'active' && (
        <Button size="compact-sm" variant="subtle" aria-label={`Rotate ${apiKey.name}`} onClick={() => onRotate(apiKey)}>
          Rotate
        </Button>
      )}
      <Button size="compact-sm" variant="subtle" color="red" aria-label={`Revoke ${apiKey.name}`} onClick={() => onRevoke(apiKey)}>
        Revoke
      </Button>
    </Group>
  );
}
