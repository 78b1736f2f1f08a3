import { Alert, Button, List, Loader, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { count, counted } from '../numbers/format-number.ts';
import { ConfirmDialog } from '../shell/confirm-dialog.tsx';
import { type Campaign, useDryRun, useSendCampaign } from './campaigns.ts';
import { skipReasonWords } from './skip-reasons.ts';

/** Confirms sending. Shows how many contacts would receive the campaign, and why others would be skipped. */
export function SendCampaign({ campaign: { id, name } }: { campaign: Campaign }) {
  const [opened, { open, close }] = useDisclosure(false);
  const [at, setAt] = useState('');
  const dryRun = useDryRun(id, opened);
  const { mutate, isPending, error } = useSendCampaign(id);
  const recipients = dryRun.isFetching ? undefined : dryRun.data?.would_send;
  const atLeast = dryRun.data?.exact === false ? 'at least ' : '';
  const send = () =>
    mutate(at === '' ? undefined : new Date(at).toISOString(), {
      onSuccess: () => {
        close();
        notifications.show({ message: at === '' ? `${name} is being sent.` : `${name} is scheduled.` });
      },
    });

  return (
    <>
      <Button onClick={open}>Send…</Button>
      <ConfirmDialog
        opened={opened}
        onClose={close}
        title="Send this campaign?"
        confirm={recipients === undefined ? 'Send' : `${at === '' ? 'Send' : 'Schedule'} to ${atLeast}${counted(recipients, 'contact')}`}
        keep="Cancel"
        isHarmless
        isPending={isPending}
        isDisabled={recipients === undefined || (recipients === 0 && atLeast === '')}
        error={error}
        failed="Couldn't send the campaign"
        onConfirm={send}
      >
        {dryRun.error && <ErrorAlert error={dryRun.error} title="Couldn't check the recipients" onRetry={() => void dryRun.refetch()} />}
        {dryRun.isFetching && (
          <Text size="sm" role="status">
            <Loader size="xs" aria-hidden /> Checking recipients…
          </Text>
        )}
        {dryRun.data && !dryRun.isFetching && (
          <Stack gap="sm">
            <Text>
              <strong>
                {atLeast}
                {counted(dryRun.data.would_send, 'contact')}
              </strong>{' '}
              would receive this now
              {dryRun.data.audience_count !== dryRun.data.would_send && `, of ${count(dryRun.data.audience_count)} in the audience`}.
            </Text>
            {dryRun.data.skipped.length > 0 && (
              <List size="sm" aria-label="Skipped contacts">
                {dryRun.data.skipped.map(({ reason, count: amount, samples }) => (
                  <List.Item key={reason}>
                    {count(amount)} {skipReasonWords(reason)}
                    <Text size="xs" c="dimmed">
                      {samples
                        .slice(0, 3)
                        .map(({ email, contact_id }) => email ?? contact_id)
                        .join(', ')}
                      {amount > 3 && ', …'}
                    </Text>
                  </List.Item>
                ))}
              </List>
            )}
            {dryRun.data.would_send === 0 && atLeast === '' && <Alert color="yellow">No contacts would receive this campaign.</Alert>}
            <TextInput
              type="datetime-local"
              label="Schedule (optional)"
              description="Leave empty to send now."
              value={at}
              onChange={(event) => setAt(event.currentTarget.value)}
            />
          </Stack>
        )}
      </ConfirmDialog>
    </>
  );
}
