import { ShownOnce } from '../secrets/shown-once.tsx';
import { curl } from '../shell/empty-place.tsx';
import type { GeneratedApiKey } from './api-keys.ts';

/** The key's text, the only time it is seen. */
export const GeneratedKey = ({ apiKey: { key, name }, onStored }: { apiKey: GeneratedApiKey; onStored: () => void }) => (
  <ShownOnce
    secret={key}
    label="API key"
    copy="Copy key"
    warning={
      <>
        This is the only time the key of “{name}” is shown. Copy it now and store it where your program reads its secrets; nobody can look
        it up later.
      </>
    }
    line={curl('GET', '/v2/me').replace('$KEY', key)}
    lineDoes="Call the API with this key"
    onStored={onStored}
  />
);
