import { IconKey } from '@tabler/icons-react';
import { curl, EmptyState } from '../shell/empty-state.tsx';

/** The empty state of the key list. */
export function NoApiKeys() {
  return (
    <EmptyState
      title="No API keys yet"
      icon={IconKey}
      lines={{
        'Create a key from a terminal': 'npm run key -- --name "CI" --permission read_write',
        'Call the API with the key': curl('GET', '/v2/me'),
      }}
    >
      An API key lets an app call the API. Generate one here, or from a terminal on the server:
    </EmptyState>
  );
}
