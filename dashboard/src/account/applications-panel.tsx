import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { type Grant, useGrants } from '../authorize/authorization.ts';
import { Panel } from '../page/panel.tsx';
import { scopeName } from '../roles/scopes.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { DisconnectDialog } from './disconnect-dialog.tsx';
import classes from './sessions-panel.module.css';

/** The applications that the user has connected to the account; for those who manage keys, those of all users. */
export function ApplicationsPanel() {
  const { data: grants, error, refetch } = useGrants();
  const [disconnecting, setDisconnecting] = useState<Grant>();
  return (
    <Panel title="Connected applications">
      <Stack gap="sm">
        {error && <ErrorAlert error={error} title="Couldn't load the applications" onRetry={() => void refetch()} />}
        {!grants && !error && <Outline of="the applications" shape="rows" count={1} />}
        {grants?.length === 0 && (
          <Text size="sm" c="dimmed">
            No applications yet. An application that supports it sends you here to connect it, without an API key.
          </Text>
        )}
        {grants && grants.length > 0 && (
          <ul className={classes.sessions}>
            {grants.map((grant) => (
              <li key={grant.id} className={classes.session}>
                <div>
                  <Text size="sm" fw={500}>
                    {nameOf(grant)}
                  </Text>
                  <Text size="xs" c="dimmed">
                    {grant.scopes.map(scopeName).join(', ')}. Last used <RelativeTime at={grant.lastUsedAt} />
                  </Text>
                  {!grant.isAccepted && (
                    <Text size="xs" c="orange.9">
                      Has no access: this account now requires single sign-on or a second factor. Connect it again to use it.
                    </Text>
                  )}
                </div>
                <Button
                  size="xs"
                  variant="subtle"
                  color="red"
                  aria-label={`Disconnect ${nameOf(grant)}`}
                  onClick={() => setDisconnecting(grant)}
                >
                  Disconnect
                </Button>
              </li>
            ))}
          </ul>
        )}
      </Stack>
      {disconnecting && <DisconnectDialog grant={disconnecting} onClose={() => setDisconnecting(undefined)} />}
    </Panel>
  );
}

const nameOf = ({ application, user, isOwn }: Grant) => (isOwn ? application : `${application}, connected by ${user}`);
