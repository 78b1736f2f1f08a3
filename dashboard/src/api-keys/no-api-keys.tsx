import { IconKey } from '@tabler/icons-react';
import { curl, EmptyPlace } from '../shell/empty-place.tsx';

/** What to do when there is no key yet. */
export function NoApiKeys() {
  return (
    <EmptyPlace
      title="No API keys yet"
      icon={IconKey}
      lines={{
        'Make a key in a terminal': 'npm run key -- --name "CI" --permission read_write',
        'Call the API with the key': curl('GET', '/v2/me'),
      }}
    >
      Generate the first one above, or in a terminal beside the platform. Then call the API with it:
    </EmptyPlace>
  );
}
