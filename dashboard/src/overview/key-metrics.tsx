import type { ReactNode } from 'react';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Sparkline } from '../charts/sparkline.tsx';
import { useContactCount } from '../contacts/contacts.ts';
import { type Change, pointsChange, relativeChange } from '../numbers/change.ts';
import { ChangeMark } from '../numbers/change-mark.tsx';
import { count, counted, money, share } from '../numbers/format-number.ts';
import { LinkedMetric, lineToCome, Metrics } from '../numbers/metric.tsx';
import { activeRemark } from './active-remark.ts';
import { useActiveContacts, useActiveWorkflows, useCampaignsSummary, useNewContacts, useVisits } from './overview.ts';
import { daysOf, type Period, rangesOf } from './period.ts';

/** The metrics of the period, each with its change and a link to the page it comes from. */
export function KeyMetrics({ days }: { days: Period }) {
  const { current, previous } = rangesOf(days);
  const total = useContactCount();
  const added = useNewContacts(current);
  const addedBefore = useNewContacts(previous);
  const active = useActiveContacts(days);
  const emails = useCampaignsSummary(current);
  const emailsBefore = useCampaignsSummary(previous);
  const visits = useVisits(current);
  const workflows = useActiveWorkflows();

  const queries = [total, added, addedBefore, active, emails, emailsBefore, visits, workflows];
  const error = queries.find((query) => query.error)?.error;
  const [now, before] = [emails.data, emailsBefore.data];
  const byDate = new Map(now?.days.map((day) => [day.date, day]));
  const trend = (of: 'accepted' | 'opened' | 'clicked' | 'unsubscribed') => daysOf(current).map((date) => byDate.get(date)?.[of] ?? 0);
  const shareOf = (rate: number | null | undefined) => (now === undefined ? undefined : share(rate));
  const since = `in ${days} days`;

  return (
    <>
      {error && (
        <ErrorAlert
          error={error}
          title="Couldn't load all metrics"
          onRetry={() => void Promise.all(queries.map((query) => query.refetch()))}
        />
      )}
      <Metrics label={`Last ${days} days`}>
        <Revenue visits={visits.data} />
        <LinkedMetric
          to="/contacts"
          label="Contacts"
          value={total.data === undefined ? undefined : count(total.data)}
          under={
            added.data !== undefined && (
              <Under change={relativeChange(added.data, addedBefore.data)}>
                {count(added.data)} new {since}
              </Under>
            )
          }
        />
        <LinkedMetric
          to="/campaigns"
          label="Emails sent"
          value={now && count(now.counts.accepted)}
          under={
            <Under change={relativeChange(now?.counts.accepted, before?.counts.accepted)} trend={trend('accepted')}>
              {now && `by ${counted(now.campaigns, 'campaign')}`}
            </Under>
          }
        />
        <LinkedMetric
          to="/campaigns"
          label="Open rate"
          value={shareOf(now?.rates.open)}
          under={<Under change={pointsChange(now?.rates.open, before?.rates.open)} trend={trend('opened')} />}
        />
        <LinkedMetric
          to="/campaigns"
          label="Click rate"
          value={shareOf(now?.rates.click)}
          under={<Under change={pointsChange(now?.rates.click, before?.rates.click)} trend={trend('clicked')} />}
        />
        <LinkedMetric
          to="/campaigns"
          label="Unsubscribe rate"
          value={shareOf(now?.rates.unsubscribe)}
          under={
            <Under
              change={pointsChange(now?.rates.unsubscribe, before?.rates.unsubscribe, { lowerIsBetter: true })}
              trend={trend('unsubscribed')}
            />
          }
        />
        <LinkedMetric
          to="/contacts"
          label="Active contacts"
          value={active.data && `${active.data.exact ? '' : '~'}${count(active.data.count)}`}
          under={
            active.data && total.data ? (
              <Under>
                {activeRemark({ active: active.data.count, contacts: total.data, visitors: visits.data?.totals.visitors ?? 0, days })}
              </Under>
            ) : null
          }
        />
        <LinkedMetric
          to="/workflows"
          search={{ status: 'active' }}
          label="Running workflows"
          value={workflows.data === undefined ? undefined : count(workflows.data)}
        />
      </Metrics>
    </>
  );
}

/** Revenue in the currency with the most of it; the others below. */
function Revenue({ visits }: { visits: ReturnType<typeof useVisits>['data'] }) {
  const [first, ...others] = [...(visits?.totals.revenue ?? [])].sort((a, b) => b.amount - a.amount);
  const before = visits?.comparison?.totals.revenue.find(({ currency }) => currency === first?.currency);
  const trend = visits?.series.map(({ revenue }) => revenue.find(({ currency }) => currency === first?.currency)?.amount ?? 0) ?? [];
  return (
    <LinkedMetric
      to="/leadpulse"
      label="Revenue"
      value={visits && (first ? money(Math.round(first.amount), first.currency) : '–')}
      under={
        <Under change={relativeChange(first?.amount, before?.amount)} trend={trend}>
          {others.map(({ amount, currency }) => money(Math.round(amount), currency)).join(', ')}
        </Under>
      }
    />
  );
}

/** What is below a metric: its change since the previous period, a remark, and its trend. */
const Under = ({ change, trend, children }: { change?: Change | undefined; trend?: readonly number[]; children?: ReactNode }) => (
  <>
    <ChangeMark change={change} />
    {children ? <span>{children}</span> : !change && lineToCome}
    {trend && <Sparkline values={trend} />}
  </>
);
