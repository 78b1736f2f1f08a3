import { Alert, Button, List, Skeleton, Stack, Text } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import { count, counted } from '../numbers/format-number.ts';
import { Panel } from '../shell/panel.tsx';
import { type Campaign, useDryRun } from './campaigns.ts';
import { skipReasonWords } from './skip-reasons.ts';

const maxSamples = 3;

/** How many contacts would receive the campaign now, and why others would be skipped. */
export function RecipientsPanel({ campaign: { id }, onChange }: { campaign: Campaign; onChange: () => void }) {
  const { data, error, isFetching, refetch } = useDryRun(id, true);
  const atLeast = data?.exact === false ? 'at least ' : '';
  return (
    <Panel
      title="Recipients"
      action={
        <Button variant="default" size="xs" onClick={onChange}>
          Change the audience
        </Button>
      }
    >
      {error && <ErrorAlert error={error} title="Couldn't check the recipients" onRetry={() => void refetch()} />}
      {isFetching && <Skeleton height={80} role="status" aria-label="Loading the recipients" />}
      {data && !isFetching && (
        <Stack gap="sm">
          <Text>
            <strong>
              {atLeast}
              {counted(data.would_send, 'contact')}
            </strong>{' '}
            would receive this now{data.audience_count !== data.would_send && `, of ${count(data.audience_count)} in the audience`}.
          </Text>
          {data.skipped.length > 0 && (
            <List size="sm" aria-label="Skipped contacts">
              {data.skipped.map(({ reason, count: amount, samples }) => (
                <List.Item key={reason}>
                  {count(amount)} {skipReasonWords(reason)}
                  <Text size="xs" c="dimmed">
                    {samples
                      .slice(0, maxSamples)
                      .map(({ email, contact_id }) => email ?? contact_id)
                      .join(', ')}
                    {amount > maxSamples && ', …'}
                  </Text>
                </List.Item>
              ))}
            </List>
          )}
          {data.would_send === 0 && atLeast === '' && <Alert color="yellow">No contacts would receive this campaign.</Alert>}
        </Stack>
      )}
    </Panel>
  );
}
