import type { TemplateAnalytics } from '@marketing-platform/sdk';
import { count, money, share } from '../numbers/format-number.ts';
import { Metric, Metrics } from '../numbers/metric.tsx';

type Analytics = Pick<TemplateAnalytics, 'counts' | 'rates'>;

/** What has happened to the emails of a workflow or a template; nothing before the first is sent. */
export function EmailMetrics({ analytics }: { analytics: Analytics | undefined }) {
  if (!analytics || analytics.counts.attempted === 0) return null;
  const { counts, rates } = analytics;
  return (
    <Metrics label="Emails">
      <Metric label="Sent" value={count(counts.accepted)} />
      <Metric label="Opened" value={count(counts.opened.unique.human)} under={share(rates.open?.value)} />
      <Metric label="Clicked" value={count(counts.clicked.unique.human)} under={share(rates.click?.value)} />
      <Metric label="Orders" value={count(counts.conversions)} under={share(rates.conversion?.value)} />
      {counts.revenue.map(({ currency, amount }) => (
        <Metric key={currency} label="Revenue" value={money(amount, currency)} />
      ))}
    </Metrics>
  );
}
