import { ShownOnce } from '../secrets/shown-once.tsx';
import type { GeneratedApiKey } from './api-keys.ts';

/** Shows a new key once. */
export const GeneratedKey = ({ apiKey: { key, name }, onStored }: { apiKey: GeneratedApiKey; onStored: () => void }) => (
  <ShownOnce
    secret={key}
    label="API key"
    copy="Copy key"
    warning={
      <>This is the only time the key “{name}” is shown. Copy it now and store it with your app's secrets: it can't be retrieved later.</>
    }
    line={`curl ${window.location.origin}/v2/me -H "Authorization: Bearer ${key}"`}
    lineDoes="Call the API with this key"
    onStored={onStored}
  />
);
