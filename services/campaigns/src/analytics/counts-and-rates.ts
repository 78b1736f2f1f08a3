import { z } from 'zod';
import { Conversion } from '../campaigns/campaign.ts';
import type { Counts as Counters } from '../ledger/counters/contribution.ts';
import { Revenue, revenueOf } from '../ledger/revenue.ts';

const count = z.number().int();
const apart = z.object({
  human: count.describe('By people.'),
  machine: count.describe('Automated, such as by prefetchers and scanners.'),
});
export const engaged = z.object({
  unique: apart.describe('Recipients, each counted once.'),
  total: apart.describe('All of them, including repeats.'),
});

export const AttributedConversion = Conversion.extend({
  model: z.literal('last_click').describe('An event counts for the email whose link its contact clicked last before it.'),
}).describe('What counts as a conversion in this report.');

export const attributed = (conversion: Conversion) => ({ ...conversion, model: 'last_click' as const });

export const Counts = z
  .object({
    recipients: count.describe('Contacts in the frozen audience.'),
    waiting: count.describe('Queued, deferred or being sent.'),
    skipped: count.describe('Not sent; the ledger has the reasons.'),
    attempted: count.describe('Accepted, bounced or permanently rejected.'),
    accepted: count.describe('Accepted by the mail server: sent, delivered and complained.'),
    sent: count.describe('Accepted by the mail server, delivery not proven; the same as in the ledger.'),
    delivered: count.describe(
      'Reported by the provider, proven by an open or a click, or without a bounce for the time in the settings; the same as in the ledger.',
    ),
    bounced: count.describe('Permanently rejected because of the address.'),
    failed: count.describe('Permanently rejected for a reason other than the address, or still rejected after the last retry.'),
    complained: count.describe('Reported as spam.'),
    unknown: count.describe('The connection broke during sending; delivery cannot be known.'),
    opened: engaged.describe('Opens.'),
    clicked: engaged.describe('Clicks.'),
    late: count.describe('Accepted more than five minutes after their scheduled time.'),
    lateness_seconds: z
      .number()
      .nullable()
      .describe('How long after its scheduled time an email was accepted, on average; null without a schedule.'),
    unsubscribed: count.describe('Recipients that unsubscribed through this email.'),
    converted: count.describe('Recipients with a conversion after their last click.'),
    conversions: count.describe('Conversions: events of LeadPulse within the attribution window after the last click of their contact.'),
    revenue: Revenue,
  })
  .meta({ id: 'CampaignCounts' });
export type Counts = z.infer<typeof Counts>;

/** The counts of a campaign, or of one of its parts, from its counters; what none of them counts is waiting. */
export function countsOf(counters: Counters, recipients: number): Counts {
  const of = (name: string) => counters[name] ?? 0;
  const engagement = (kind: 'opened' | 'clicked') => ({
    unique: { human: of(`${kind}_human_unique`), machine: of(`${kind}_machine_unique`) },
    total: { human: of(`${kind}_human`), machine: of(`${kind}_machine`) },
  });
  const accepted = of('sent') + of('delivered') + of('complained');
  const settled = accepted + of('skipped') + of('bounced') + of('failed') + of('unknown');
  return {
    recipients,
    waiting: recipients - settled,
    skipped: of('skipped'),
    attempted: accepted + of('bounced') + of('failed'),
    accepted,
    sent: of('sent'),
    delivered: of('delivered'),
    bounced: of('bounced'),
    failed: of('failed'),
    complained: of('complained'),
    unknown: of('unknown'),
    opened: engagement('opened'),
    clicked: engagement('clicked'),
    late: of('late'),
    lateness_seconds: of('scheduled') === 0 ? null : of('lateness') / of('scheduled'),
    unsubscribed: of('unsubscribed'),
    converted: of('converted'),
    conversions: of('conversions'),
    revenue: revenueIn(counters),
  };
}

const revenuePrefix = 'revenue_';

/** The revenue that these counters have, by currency. */
export const revenueIn = (counters: Counters): Revenue =>
  revenueOf({
    revenue: Object.fromEntries(
      Object.entries(counters).flatMap(([name, amount]) =>
        name.startsWith(revenuePrefix) ? [[name.slice(revenuePrefix.length), amount]] : [],
      ),
    ),
  });

export const Rate = z
  .object({
    value: z.number().nullable().describe('Null if the denominator is zero.'),
    numerator: count.describe('The dividend.'),
    denominator: count.describe('The divisor.'),
    definition: z.string().describe('What is divided by what, in words.'),
    as_of: z.iso.datetime().describe('The time as of which the rate is complete.'),
  })
  .meta({ id: 'Rate' });

type Definition = { definition: string; numerator: (counts: Counts) => number; denominator: (counts: Counts) => number };

/**
 * The definition of every rate, in words and in code. Opens, clicks, unsubscriptions and complaints are divided by
 * accepted emails, because the delivery of most emails is never confirmed.
 */
export const rateDefinitions = {
  acceptance: { definition: 'accepted ÷ attempted', numerator: (c) => c.accepted, denominator: (c) => c.attempted },
  delivery: {
    definition: 'delivered or complained ÷ attempted',
    numerator: (c) => c.delivered + c.complained,
    denominator: (c) => c.attempted,
  },
  bounce: { definition: 'bounced ÷ attempted', numerator: (c) => c.bounced, denominator: (c) => c.attempted },
  open: { definition: 'unique human opens ÷ accepted', numerator: (c) => c.opened.unique.human, denominator: (c) => c.accepted },
  machine_open: {
    definition: 'unique automated opens ÷ accepted',
    numerator: (c) => c.opened.unique.machine,
    denominator: (c) => c.accepted,
  },
  click: { definition: 'unique human clicks ÷ accepted', numerator: (c) => c.clicked.unique.human, denominator: (c) => c.accepted },
  machine_click: {
    definition: 'unique automated clicks ÷ accepted',
    numerator: (c) => c.clicked.unique.machine,
    denominator: (c) => c.accepted,
  },
  click_to_open: {
    definition: 'unique human clicks ÷ unique human opens',
    numerator: (c) => c.clicked.unique.human,
    denominator: (c) => c.opened.unique.human,
  },
  unsubscribe: { definition: 'unsubscribed ÷ accepted', numerator: (c) => c.unsubscribed, denominator: (c) => c.accepted },
  conversion: { definition: 'converted ÷ accepted', numerator: (c) => c.converted, denominator: (c) => c.accepted },
  complaint: { definition: 'complained ÷ accepted', numerator: (c) => c.complained, denominator: (c) => c.accepted },
} as const satisfies Record<string, Definition>;

export type RateName = keyof typeof rateDefinitions;
const isRateName = (name: string): name is RateName => name in rateDefinitions;
const rateNames = Object.keys(rateDefinitions).filter(isRateName);

export const Rates = z.record(z.enum(rateNames), Rate);

export function ratesOf(counts: Counts, asOf: Date): z.infer<typeof Rates> {
  const rate = (name: RateName) => {
    const { definition, numerator, denominator } = rateDefinitions[name];
    const [above, below] = [numerator(counts), denominator(counts)];
    return { value: below === 0 ? null : above / below, numerator: above, denominator: below, definition, as_of: asOf.toISOString() };
  };
  return Rates.parse(Object.fromEntries(rateNames.map((name) => [name, rate(name)])));
}
