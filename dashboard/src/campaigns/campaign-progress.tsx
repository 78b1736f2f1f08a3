import { Progress, Text } from '@mantine/core';
import { count } from '../numbers/format-number.ts';
import { Panel } from '../shell/panel.tsx';
import { type Campaign, isInProgress } from './campaigns.ts';

const waiting = ['queued', 'sending', 'deferred'];

/** The progress of sending; renders nothing unless the campaign is being sent or paused. */
export function CampaignProgress({ campaign: { status, progress, audience_count } }: { campaign: Campaign }) {
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
    </Panel>
  );
}
