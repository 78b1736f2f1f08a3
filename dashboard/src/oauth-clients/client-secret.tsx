import { TextInput } from '@mantine/core';
import { ShownOnce } from '../secrets/shown-once.tsx';
import type { CreatedOauthClient } from './oauth-clients.ts';

/** The client's secret, the only time it is seen, and the call that makes a token of it. */
export const ClientSecret = ({ client: { id, name, client_secret }, onStored }: { client: CreatedOauthClient; onStored: () => void }) => (
  <ShownOnce
    secret={client_secret}
    label="Client secret"
    copy="Copy secret"
    warning={<>This is the only time the secret of “{name}” is shown. Copy it now; nobody can look it up later.</>}
    line={`curl ${window.location.origin}/oauth/token -u ${id}:${client_secret} -d grant_type=client_credentials`}
    lineDoes="Get a token"
    onStored={onStored}
  >
    <TextInput readOnly label="Client id" value={id} />
  </ShownOnce>
);
