import { TextInput } from '@mantine/core';
import { ShownOnce } from '../secrets/shown-once.tsx';
import type { CreatedOauthClient } from './oauth-clients.ts';

/** Shows the client's secret once, with the command that requests a token. */
export const ClientSecret = ({ client: { id, name, client_secret }, onStored }: { client: CreatedOauthClient; onStored: () => void }) => (
  <ShownOnce
    secret={client_secret}
    label="Client secret"
    copy="Copy secret"
    warning={<>This is the only time the secret of “{name}” is shown. Copy it now: it can't be retrieved later.</>}
    line={`curl ${window.location.origin}/oauth/token -u ${id}:${client_secret} -d grant_type=client_credentials`}
    lineDoes="Get a token"
    onStored={onStored}
  >
    <TextInput readOnly label="Client ID" value={id} />
  </ShownOnce>
);
