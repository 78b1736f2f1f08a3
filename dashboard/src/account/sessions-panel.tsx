import { Button, Group, Stack, Text } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { Panel } from '../page/panel.tsx';
import { useEndSessions, useSessions } from '../session/session-query.ts';
import { RelativeTime } from '../time/relative-time.tsx';
import { browserOf } from './browser-of.ts';
import classes from './sessions-panel.module.css';

const ways: Readonly<Record<string, string>> = { totp: 'authenticator app', recovery_code: 'recovery code' };

/** With what a session was opened, such as "password and passkey". */
const waysOf = (by: string, secondFactor: string) =>
  [...new Set([by, secondFactor])].flatMap((way) => (way === '' ? [] : (ways[way] ?? way))).join(' and ');

/** The user's active sessions, which can be ended here. */
export function SessionsPanel() {
  const { data: sessions, error, refetch } = useSessions();
  const { mutate, isPending, error: failure } = useEndSessions();
  return (
    <Panel
      title="Sessions"
      action={
        sessions && (
          <Group gap="xs">
            {sessions.length > 1 && (
              <Button size="xs" variant="default" loading={isPending} onClick={() => mutate({ others: true })}>
                Sign out other sessions
              </Button>
            )}
            <Button size="xs" variant="default" loading={isPending} onClick={() => mutate({ all: true })}>
              Sign out everywhere
            </Button>
          </Group>
        )
      }
    >
      <Stack gap="sm">
        {error && <ErrorAlert error={error} title="Couldn't load the sessions" onRetry={() => void refetch()} />}
        {failure && <ErrorAlert error={failure} title="Couldn't end the session" />}
        {!sessions && !error && <Outline of="the sessions" shape="rows" count={1} />}
        <ul className={classes.sessions}>
          {sessions?.map(({ id, isCurrent, by, secondFactor, address, userAgent, lastUsedAt }) => (
            <li key={id} className={classes.session}>
              <div>
                <Text size="sm" fw={500}>
                  {browserOf(userAgent)} {isCurrent && '(this session)'}
                </Text>
                <Text size="xs" c="dimmed">
                  {address}, via {waysOf(by, secondFactor)}, last used <RelativeTime at={lastUsedAt} />
                </Text>
              </div>
              {!isCurrent && (
                <Group>
                  <Button
                    size="xs"
                    variant="subtle"
                    color="red"
                    aria-label={`Sign out ${browserOf(userAgent)}`}
                    onClick={() => mutate({ id })}
                  >
                    Sign out
                  </Button>
                </Group>
              )}
            </li>
          ))}
        </ul>
      </Stack>
    </Panel>
  );
}
