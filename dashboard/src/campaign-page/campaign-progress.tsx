import { Progress, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { type Campaign, isInProgress, useCampaign } from '../campaigns/campaigns.ts';
import { count, counted, roughDuration } from '../numbers/format-number.ts';
import { Panel } from '../page/panel.tsx';
import { RelativeTime } from '../time/relative-time.tsx';
import { rateOf, type Sample, withSample } from './sending-rate.ts';

const waiting = ['queued', 'sending', 'deferred'];

type Props = { campaign: Campaign };

/** The progress of sending; renders nothing unless the campaign is being sent or paused. */
export function CampaignProgress({ campaign }: Props) {
  const { status, progress, audience_count, timing } = campaign;
  if (!isInProgress(status) && status !== 'paused') return null;
  const states = Object.entries(progress ?? {});
  const open = states.filter(([state]) => waiting.includes(state)).reduce((sum, [, value]) => sum + value, 0);
  const total = audience_count ?? states.reduce((sum, [, value]) => sum + value, 0);
  const done = Math.max(0, total - open);

  return (
    <Panel title={status === 'paused' ? 'Paused' : status === 'freezing' ? 'Gathering recipients' : 'Sending'}>
      <Progress value={total === 0 ? 0 : (done / total) * 100} animated={status !== 'paused'} size="lg" aria-label="Sending progress" />
      <Text size="sm" mt="xs" role="status">
        {status === 'freezing' ? `${count(total)} found so far` : `${count(done)} of ${count(total)} done`}
      </Text>
      {status === 'sending' && <Rate campaign={campaign} done={done} due={open - (timing?.waiting ?? 0)} />}
      {status === 'sending' && <Waiting campaign={campaign} />}
    </Panel>
  );
}

type RateProps = Props & {
  done: number;
  /** Emails that can be sent now, or when the A/B test has a winner. */
  due: number;
};

/** How fast the emails that are due are sent, and for how much longer. */
function Rate({ campaign: { id, throttle_per_minute: throttle, ab_test, ab_result }, done, due }: RateProps) {
  const { dataUpdatedAt } = useCampaign(id);
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  useEffect(() => setSamples((before) => withSample(before, { at: dataUpdatedAt, done })), [dataUpdatedAt, done]);
  const measured = rateOf(samples);
  if (!(measured ?? throttle) || due <= 0) return null;
  const isWaitingForWinner = ab_test !== null && !ab_result?.winner;
  const rate = measured && `${counted(Math.max(1, Math.round(measured)), 'email')} per minute`;
  const left = measured && !isWaitingForWinner && `about ${roughDuration((due / measured) * 60)} left`;
  const limit = throttle && `at most ${counted(throttle, 'email')} per minute`;
  return <Text size="sm">{[rate, left, limit].filter(Boolean).join(', ')}</Text>;
}

/** Why emails wait, and when they are sent. */
function Waiting({ campaign: { timing, timezone_mode } }: Props) {
  if (!timing?.next_at || !timing.last_at) return null;
  const scheduled = timezone_mode === 'recipient' ? 'local_time' : 'scheduled';
  const reasons = Map.groupBy(timing.reasons, ({ reason }) => reasonLabels[reason ?? scheduled] ?? reasonLabels.scheduled);
  return (
    <Text size="sm" c="dimmed">
      {[...reasons]
        .map(([words, groups]) => {
          const amount = groups.reduce((sum, { waiting: its }) => sum + its, 0);
          return `${counted(amount, 'email')} ${amount === 1 ? 'waits' : 'wait'} ${words}`;
        })
        .join('; ')}
      . The next is due <RelativeTime at={timing.next_at} />, the last <RelativeTime at={timing.last_at} />.
    </Text>
  );
}

const reasonLabels: Readonly<Record<string, string>> = {
  scheduled: 'until a later time',
  local_time: 'for the local time of the contact',
  quiet_hours: 'for the end of quiet hours',
  domain_throttle: 'because of the throttle of a domain',
  domain_unavailable: 'because the receiving domain is slow or rejects emails temporarily',
  refused_for_now: 'for another attempt, because the mail server rejected it temporarily',
};
