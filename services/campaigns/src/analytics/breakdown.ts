import { Timezone } from '@mp/contracts/moment';
import type { TrackedLink } from '@mp/contracts/tracked-links';
import { wallClock } from '@mp/rules/calendar';
import { z } from 'zod';
import type { Breakdown } from '../ledger/counters/counters-store.ts';
import { type BreakdownName, breakdownNames, linkOfKey } from '../ledger/engagements/breakdowns.ts';
import { Counts, countsOf, engaged, Rates, ratesOf } from './counts-and-rates.ts';

export const By = z
  .enum(breakdownNames)
  .optional()
  .describe('Also return the report by `variant` of the A/B test, `domain` of the address, `device`, `link` or `hour`.');

export const HoursTimezone = Timezone.default('UTC').describe('The IANA time zone of `local_hour` in a breakdown by hour.');

export const BreakdownItem = z
  .object({
    variant: z.string().nullable().describe('The variant; null in other breakdowns, except for a link of a variant.'),
    domain: z.string().nullable().describe('The domain of the addresses; null in other breakdowns.'),
    device: z.string().nullable().describe('`desktop`, `mobile`, `tablet` or `other`; null in other breakdowns.'),
    link: z.number().int().nullable().describe('The number of the link in the email, from 0; null in other breakdowns.'),
    url: z.string().nullable().describe('The target of the link; null by hour, and for a link that is different for each recipient.'),
    hour: z.iso.datetime().nullable().describe('The start of the hour in UTC; null in other breakdowns.'),
    local_hour: z
      .string()
      .nullable()
      .describe('The local time in `timezone` at the start of the hour, such as `2026-03-01T11:00`; null in other breakdowns.'),
    opened: engaged.describe('Opens; 0 in a breakdown by link.'),
    clicked: engaged.describe('Clicks.'),
    counts: Counts.nullable().describe('All counts of the variant or the domain; null in other breakdowns.'),
    rates: Rates.nullable().describe('All rates of the variant or the domain; null in other breakdowns.'),
  })
  .meta({ id: 'CampaignBreakdownItem' });
export type BreakdownItem = z.output<typeof BreakdownItem>;

export const BreakdownItems = z
  .array(BreakdownItem)
  .optional()
  .describe('With `by`: every variant, every link with clicks, the 1,000 largest domains, or the latest 1,000 hours with opens or clicks.');

/** The target of a link; `variant` is null for a campaign without an A/B test. */
export type TargetOf = (link: number, variant: string | null) => TrackedLink['target'];

type View = { by: BreakdownName; asOf: Date; timezone: string; targetOf: TargetOf };

const hourOf = (key: string) => `${key}:00:00.000Z`;
const localHourOf = (key: string, timezone: string) =>
  new Date(wallClock(new Date(hourOf(key)).getTime(), timezone)).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);

/** The items of a breakdown, with the targets of links and the local time of hours. */
export const itemsOf = (rows: readonly Breakdown[], { by, asOf, timezone, targetOf }: View) =>
  rows.map(({ key, counts: counted }): BreakdownItem => {
    const hasStates = by === 'variant' || by === 'domain';
    const counts = countsOf(counted, counted.recipients ?? 0);
    const link = by === 'link' ? linkOfKey(key) : undefined;
    return {
      variant: by === 'variant' ? key : (link?.variant ?? null),
      domain: by === 'domain' ? key : null,
      device: by === 'device' ? key : null,
      link: link?.link ?? null,
      url: link ? targetOf(link.link, link.variant) : null,
      hour: by === 'hour' ? hourOf(key) : null,
      local_hour: by === 'hour' ? localHourOf(key, timezone) : null,
      ...{ opened: counts.opened, clicked: counts.clicked },
      counts: hasStates ? counts : null,
      rates: hasStates ? ratesOf(counts, asOf) : null,
    };
  });
