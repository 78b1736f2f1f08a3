import { success } from '@mp/contracts/envelope';
import { invalid } from '@mp/contracts/errors';
import { PlannedMoment, Timezone } from '@mp/contracts/moment';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import type { CampaignsStore } from '../campaigns/campaigns-store.ts';
import { addCounts, type Counts as Counters } from '../ledger/counters/contribution.ts';
import type { CountersStore } from '../ledger/counters/counters-store.ts';
import { Counts, countsOf, rateDefinitions } from './counts-and-rates.ts';

const maxDays = 400;
const dayMs = 86_400_000;
/** The latest ones; an account that starts more in the range sees `truncated`. */
const maxCampaigns = 2_000;

const Query = z.strictObject({
  from: PlannedMoment.describe('Campaigns that started to send at this time or later.'),
  to: PlannedMoment.describe(`Campaigns that started to send before this time; at most ${maxDays} days after \`from\`.`),
  timezone: Timezone.default('UTC').describe('The IANA time zone of the days.'),
});

const count = z.number().int();
const share = z.number().nullable();

const Summary = z
  .object({
    campaigns: count.describe('Campaigns that started to send in the range.'),
    truncated: z.boolean().describe(`Whether there were more; only the latest ${maxCampaigns.toLocaleString('en')} are counted.`),
    counts: Counts.describe('The sums of the counts of these campaigns.'),
    rates: z
      .object({
        open: share.describe('Unique human opens ÷ accepted; null if none was accepted.'),
        click: share.describe('Unique human clicks ÷ accepted; null if none was accepted.'),
        unsubscribe: share.describe('Unsubscribed ÷ accepted; null if none was accepted.'),
        bounce: share.describe('Bounced ÷ attempted; null if none was attempted.'),
      })
      .describe('The rates of all these campaigns together.'),
    days: z
      .array(
        z.object({
          date: z.iso.date().describe('The day in `timezone`.'),
          campaigns: count.describe('Campaigns that started to send on this day.'),
          accepted: count.describe('Emails of these campaigns that the mail server accepted.'),
          opened: count.describe('Recipients who opened an email of these campaigns.'),
          clicked: count.describe('Recipients who clicked a link in an email of these campaigns.'),
          unsubscribed: count.describe('Recipients who unsubscribed.'),
          bounced: count.describe('Emails that bounced.'),
        }),
      )
      .describe('Every day on which a campaign started, oldest first.'),
  })
  .meta({ id: 'CampaignsSummary' });

type Deps = { campaigns: Pick<CampaignsStore, 'startedIn'>; counters: Pick<CountersStore, 'sumsOf'> };

export function summarizeCampaigns(app: Server, { campaigns, counters }: Deps) {
  app.get(
    '/v2/campaigns/summary',
    {
      config: { scope: 'campaigns:read' },
      schema: {
        operationId: 'summarizeCampaigns',
        summary: 'Summarize campaigns over time',
        description:
          'The emails of all campaigns that started to send in a time range, with what has happened to them so far, in total and by the day on which sending started. ' +
          'To compare, request the preceding range. Counts are at most a few seconds old.',
        querystring: Query,
        response: { 200: success(Summary) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const { timezone } = request.query;
      const range = rangeOf(request.query);
      const started = await campaigns.startedIn(accountId, range, maxCampaigns + 1);
      const counted = started.slice(0, maxCampaigns);
      const sums = await counters.sumsOf(
        accountId,
        counted.map(({ id }) => id),
      );
      const sumOf = (these: typeof counted) => {
        const all = these.reduce<Counters>((sum, { id }) => addCounts(sum, sums.get(id) ?? {}), {});
        return countsOf(
          all,
          these.reduce((sum, { audience_count }) => sum + (audience_count ?? 0), 0),
        );
      };
      const date = new Intl.DateTimeFormat('en-CA', { timeZone: timezone });
      const byDay = Map.groupBy(counted, ({ started_at }) => date.format(started_at));
      const counts = sumOf(counted);
      const data = {
        campaigns: counted.length,
        truncated: started.length > maxCampaigns,
        counts,
        rates: {
          open: rateOf('open', counts),
          click: rateOf('click', counts),
          unsubscribe: rateOf('unsubscribe', counts),
          bounce: rateOf('bounce', counts),
        },
        days: [...byDay].sort(([a], [b]) => (a < b ? -1 : 1)).map(([day, these]) => dayOf(day, these.length, sumOf(these))),
      };
      return { success: true as const, data };
    },
  );
}

/** Throws VALIDATION_ERROR. */
function rangeOf(query: z.output<typeof Query>) {
  const [from, to] = [new Date(query.from), new Date(query.to)];
  if (to <= from) throw invalid('/query/to', 'empty_range', 'to must be after from.');
  if (to.getTime() - from.getTime() > maxDays * dayMs)
    throw invalid('/query/to', 'range_too_long', `to must be at most ${maxDays} days after from.`);
  return { from, to };
}

function rateOf(name: 'open' | 'click' | 'unsubscribe' | 'bounce', counts: Counts): number | null {
  const { numerator, denominator } = rateDefinitions[name];
  return denominator(counts) === 0 ? null : numerator(counts) / denominator(counts);
}

const dayOf = (date: string, campaigns: number, { accepted, opened, clicked, unsubscribed, bounced }: Counts) => ({
  ...{ date, campaigns, accepted },
  ...{ opened: opened.unique.human, clicked: clicked.unique.human, unsubscribed, bounced },
});
