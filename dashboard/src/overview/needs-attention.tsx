import { List } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useCampaigns } from '../campaigns/campaigns.ts';
import { counted, share } from '../numbers/format-number.ts';
import { TextLink } from '../page/button-link.tsx';
import { Panel } from '../page/panel.tsx';
import { usePermission } from '../session/permission.ts';
import { dayLabel } from '../time/zone.ts';
import { useUsage } from '../usage/usage.ts';
import { useWebhooks } from '../webhooks/webhooks.ts';
import { useWorkflows } from '../workflows/workflows.ts';
import classes from './needs-attention.module.css';
import { useAnalyticsOf, useCampaignsSummary, useLastFailures } from './overview.ts';
import { type Period, rangesOf } from './period.ts';

/** Providers begin to filter senders above this rate. */
const maxBounceRate = 0.02;
const nearlyUsed = 0.8;
/** One request for each. */
const maxWorkflows = 10;

/** What the user should look at, each with a link to where it can be changed; nothing if all is well. */
export function NeedsAttention({ days }: { days: Period }) {
  const { may, seesSettings } = usePermission();
  const items = [
    ...useFailedRuns(days),
    ...useScheduledProblems(),
    ...useBounces(days),
    ...useQuota(seesSettings),
    ...useDisabledWebhooks(may('webhooks:write') && may('webhooks:read')),
  ];
  if (items.length === 0) return null;
  return (
    <Panel title="Needs attention">
      <List
        listStyleType="none"
        spacing="xs"
        size="sm"
        icon={<IconAlertTriangle size={16} stroke={1.7} className={classes.icon} aria-hidden />}
      >
        {items.map(({ key, text }) => (
          <List.Item key={key}>{text}</List.Item>
        ))}
      </List>
    </Panel>
  );
}

type Item = { key: string; text: ReactNode };

/** A failure before the period is not news. */
function useFailedRuns(days: Period): Item[] {
  const { rows } = useWorkflows({ status: 'active' });
  const workflows = rows.slice(0, maxWorkflows);
  const analytics = useAnalyticsOf(workflows);
  const failing = workflows.flatMap((workflow, index) => {
    const failed = analytics[index]?.data?.counts.failed ?? 0;
    return failed === 0 ? [] : [{ ...workflow, failed }];
  });
  const lastFailures = useLastFailures(failing);
  return failing.flatMap(({ id, name, failed }, index) => {
    const lastAt = lastFailures[index];
    if (lastAt === undefined || lastAt < rangesOf(days).current.from) return [];
    const text = (
      <>
        {counted(failed, 'run')} of{' '}
        <TextLink to="/workflows/$id" params={{ id }} underline="always">
          {name}
        </TextLink>{' '}
        failed, most recently on {dayLabel(lastAt)}.
      </>
    );
    return [{ key: id, text }];
  });
}

/** Scheduled campaigns that would fail at their start. */
function useScheduledProblems(): Item[] {
  const { rows } = useCampaigns({ status: 'scheduled' });
  return rows.flatMap(({ id, name, problem }) => {
    if (problem === null) return [];
    const text = (
      <>
        The scheduled campaign{' '}
        <TextLink to="/campaigns/$id" params={{ id }} underline="always">
          {name}
        </TextLink>{' '}
        would fail at its start.
      </>
    );
    return [{ key: id, text }];
  });
}

function useBounces(days: Period): Item[] {
  const { data } = useCampaignsSummary(rangesOf(days).current);
  const rate = data?.rates.bounce ?? 0;
  if (rate <= maxBounceRate) return [];
  const text = (
    <>
      {share(rate)} of the emails of the last {days} days bounced. Above {share(maxBounceRate)}, mailbox providers may filter your emails.{' '}
      <TextLink to="/campaigns" underline="always">
        View the campaigns
      </TextLink>
    </>
  );
  return [{ key: 'bounces', text }];
}

function useQuota(seesSettings: boolean): Item[] {
  const { data: usage } = useUsage(seesSettings);
  if (!usage || usage.limit === null || usage.used < usage.limit * nearlyUsed) return [];
  const text = (
    <>
      {share(usage.used / usage.limit)} of today's API quota is used.{' '}
      <TextLink to="/settings/usage" underline="always">
        Plan and usage
      </TextLink>
    </>
  );
  return [{ key: 'quota', text }];
}

function useDisabledWebhooks(enabled: boolean): Item[] {
  const { rows } = useWebhooks(enabled);
  return rows
    .filter(({ disabled_reason }) => disabled_reason === 'gone' || disabled_reason === 'failing')
    .map(({ id, url, disabled_reason }) => ({
      key: id,
      text: (
        <>
          The webhook{' '}
          <TextLink to="/settings/webhooks/$id" params={{ id }} underline="always">
            {url}
          </TextLink>{' '}
          is disabled because its receiver {disabled_reason === 'gone' ? 'responded with 410' : 'kept failing'}.
        </>
      ),
    }));
}
