import { Alert, Button, List, Stack, Text } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { type Campaign, type TimeZones, useDryRun } from '../campaigns/campaigns.ts';
import { deliveryReasonLabel } from '../campaigns/delivery-reasons.ts';
import { count, counted } from '../numbers/format-number.ts';
import { Panel } from '../page/panel.tsx';
import { moment } from '../time/relative.ts';
import { clockTime } from '../time/zone.ts';
import { QuietHoursNote } from './quiet-hours-note.tsx';

const maxSamples = 3;
const maxZones = 5;
/** The other warnings are about the email, and its checks show them. */
const aboutRecipients: ReadonlySet<string> = new Set(['old_consent', 'coupon_codes_low', 'coupon_expired']);

/** How many contacts would receive the campaign now, and why others would be skipped. */
export function RecipientsPanel({ campaign: { id, fallback_timezone }, onChange }: { campaign: Campaign; onChange?: () => void }) {
  const { data, error, isFetching, refetch } = useDryRun(id, true);
  const atLeast = data?.exact === false ? 'at least ' : '';
  return (
    <Panel
      title="Recipients"
      action={
        onChange && (
          <Button variant="default" size="xs" onClick={onChange}>
            Change the audience
          </Button>
        )
      }
    >
      {error && <ErrorAlert error={error} title="Couldn't check the recipients" onRetry={() => void refetch()} />}
      {isFetching && <Outline of="the recipients" shape="lines" />}
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
                  {count(amount)} {deliveryReasonLabel(reason)}
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
          {data.timezones && data.timezones.length > 0 && <LocalTimes timezones={data.timezones} fallback={fallback_timezone} />}
          <QuietHoursNote />
          {data.warnings
            .filter(({ code }) => aboutRecipients.has(code))
            .map(({ code, message }) => (
              <Alert key={message} color="yellow" title={code === 'old_consent' ? 'Old consent' : 'Coupon'}>
                {message}
              </Alert>
            ))}
          {data.would_send === 0 && atLeast === '' && <Alert color="yellow">No contacts would receive this campaign.</Alert>}
        </Stack>
      )}
    </Panel>
  );
}

/** The time zones of the contacts, and which local times have already passed in one of them. */
function LocalTimes({ timezones, fallback }: { timezones: TimeZones; fallback: string | null }) {
  const now = new Date().toISOString();
  const [ahead] = timezones.map(({ timezone }) => timezone).sort((a, b) => clockTime(now, b).localeCompare(clockTime(now, a)));
  const largest = [...timezones].sort((a, b) => b.count - a.count);
  return (
    <>
      <Text size="sm">At their local time:</Text>
      <List size="sm" aria-label="Time zones">
        {largest.slice(0, maxZones).map(({ timezone, count: amount }) => (
          <List.Item key={timezone}>
            {count(amount)} in {timezone}
            {timezone === fallback && ', or without a time zone'}
          </List.Item>
        ))}
        {largest.length > maxZones && <List.Item>{counted(largest.length - maxZones, 'more time zone')}</List.Item>}
      </List>
      {ahead !== undefined && (
        <Text size="sm" c="dimmed">
          It is already {moment(now, ahead)} in {ahead}. Contacts in time zones where the scheduled time has already passed get the email
          right after you schedule it.
        </Text>
      )}
    </>
  );
}
