import { Alert, Button, Group, List, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { RequestFailed } from './errors.ts';

type Props = {
  error: Error;
  title?: string;
  onRetry?: () => void;
  /** Paths whose messages are shown at their inputs. */
  shownElsewhere?: readonly string[];
  /** Show the path of each message, for forms where the body is written as JSON. */
  namesPaths?: boolean;
};

/** Shows an error with the API's own message and details. */
export function ErrorAlert({ error, title, onRetry, shownElsewhere = [], namesPaths = false }: Props) {
  const details = error instanceof RequestFailed ? error.details : [];
  const messages = details.filter(
    ({ path, message }) => message && (namesPaths || !error.message.includes(message)) && !(path && shownElsewhere.includes(path)),
  );

  return (
    <Alert role="alert" color="red" variant="light" icon={<IconAlertCircle aria-hidden />} title={title}>
      <Text size="sm">{error.message}</Text>
      {messages.length > 0 && (
        <List size="sm" mt="xs">
          {messages.map(({ path, message }) => (
            <List.Item key={`${path} ${message}`}>
              {namesPaths && path && <code>{path}</code>} {message}
            </List.Item>
          ))}
        </List>
      )}
      {error instanceof RequestFailed && error.requestId && error.status >= 500 && (
        <Text size="xs" c="dimmed" mt="xs">
          Request {error.requestId}
        </Text>
      )}
      {onRetry && (
        <Group mt="sm">
          <Button size="xs" variant="default" onClick={onRetry}>
            Retry
          </Button>
        </Group>
      )}
    </Alert>
  );
}
