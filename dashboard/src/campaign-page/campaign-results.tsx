import { Table, Text } from '@mantine/core';
import { ErrorAlert } from '../api/error-alert.tsx';
import { Outline } from '../api/outline.tsx';
import { type Campaign, useCampaignAnalytics } from '../campaigns/campaigns.ts';
import { useSkipped } from '../campaigns/use-skipped.ts';
import { useUsualResults } from '../campaigns/usual-results.ts';
import { pointsChange } from '../numbers/change.ts';
import { ChangeMark } from '../numbers/change-mark.tsx';
import { count, counted, money, share } from '../numbers/format-number.ts';
import { Metric, Metrics } from '../numbers/metric.tsx';
import { Panel } from '../page/panel.tsx';
import classes from './campaign-results.module.css';
import { deliveredOf } from './delivered.ts';

const rateNames: Readonly<Record<string, string>> = {
  acceptance: 'Accepted',
  delivery: 'Delivery confirmed',
  bounce: 'Bounced',
  open: 'Opened',
  machine_open: 'Automated opens',
  click: 'Clicked',
  machine_click: 'Automated clicks',
  click_to_open: 'Click-to-open rate',
  unsubscribe: 'Unsubscribed',
  conversion: 'Converted',
  complaint: 'Marked as spam',
};

/** Rates where lower is better. */
const isBad = new Set(['bounce', 'unsubscribe', 'complaint']);

/** The results of a campaign as counts. */
export function CampaignResults({ campaign }: { campaign: Pick<Campaign, 'id' | 'status' | 'started_at'> }) {
  const { data, error, refetch } = useCampaignAnalytics(campaign);
  const { data: usual } = useUsualResults(campaign);
  const reasons = useSkipped(campaign, data?.counts.skipped ?? 0);
  if (error) return <ErrorAlert error={error} title="Couldn't load the results" onRetry={() => void refetch()} />;
  if (!data) return <Outline of="the results" shape="metrics" count={8} />;
  const { counts, rates } = data;
  const { delivered, rate, unconfirmed } = deliveredOf(counts);

  return (
    <Metrics label="Results">
      <Metric
        label="Opened"
        value={count(counts.opened.unique.human)}
        under={<Compared rate={rates.open?.value} usual={usual?.rates.open} />}
      />
      <Metric
        label="Clicked"
        value={count(counts.clicked.unique.human)}
        under={<Compared rate={rates.click?.value} usual={usual?.rates.click} />}
      />
      {counts.revenue.map(({ currency, amount }) => (
        <Metric key={currency} label="Revenue" value={money(amount, currency)} under={counted(counts.conversions, 'conversion')} />
      ))}
      <Metric label="Converted" value={count(counts.converted)} under={share(rates.conversion?.value)} />
      <Metric
        label="Recipients"
        value={count(counts.recipients)}
        under={counts.skipped > 0 && [`${count(counts.skipped)} skipped`, reasons].filter(Boolean).join(': ')}
      />
      <Metric
        label="Delivered"
        value={count(delivered)}
        under={unconfirmed > 0 ? `${share(rate)}, ${count(unconfirmed)} not confirmed yet` : share(rate)}
      />
      <Metric label="Unsubscribed" value={count(counts.unsubscribed)} under={share(rates.unsubscribe?.value)} />
      <Metric label="Bounced" value={count(counts.bounced)} under={share(rates.bounce?.value)} />
    </Metrics>
  );
}

type ComparedProps = { rate: number | null | undefined; usual: number | null | undefined };

/** A rate, and how far it is from what is usual in the account. */
const Compared = ({ rate, usual }: ComparedProps) => (
  <>
    <ChangeMark change={pointsChange(rate, usual)} than="Compared with the campaigns of the 90 days before" />
    {share(rate)}
  </>
);

/** Every rate of a campaign with its numerator and denominator. */
export function CampaignRates({ campaign }: { campaign: Pick<Campaign, 'id' | 'status'> }) {
  const { data } = useCampaignAnalytics(campaign);
  if (!data) return null;
  return (
    <Panel title="Rates">
      <Table aria-label="Rates" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Rate</Table.Th>
            <Table.Th className={classes.chart} aria-hidden />
            <Table.Th className={classes.number}>Value</Table.Th>
            <Table.Th className={classes.number}>Count</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {Object.entries(data.rates).map(([name, { value, numerator, denominator, definition }]) => (
            <Table.Tr key={name}>
              <Table.Td>
                {rateNames[name] ?? name}
                <Text size="xs" c="dimmed">
                  {definition}
                </Text>
              </Table.Td>
              <Table.Td className={classes.chart} aria-hidden>
                <span className={classes.track}>
                  <span
                    className={classes.bar}
                    data-bad={isBad.has(name) || undefined}
                    style={{ width: value ? `max(4px, ${value * 100}%)` : 0 }}
                  />
                </span>
              </Table.Td>
              <Table.Td className={classes.number}>{share(value)}</Table.Td>
              <Table.Td className={classes.number}>
                {count(numerator)} / {count(denominator)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}
