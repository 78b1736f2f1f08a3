import { success } from '@mp/contracts/envelope';
import type { AccountId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { batchesWithSessions, type SessionEventStores } from '../reports/events-with-sessions.ts';

const windowMs = 5 * 60 * 1_000;
const minWindowMs = 10_000;

/** Clocks of browsers may be ahead. */
const aheadMs = 60_000;

/** The maximum number of events that are read; on busier sites, the window is shorter. */
const maxEvents = 20_000;
const maxValues = 20;

const values = (what: string, by = '') =>
  z
    .array(
      z.object({
        value: z.string().nullable().describe('The value; null for none.'),
        visitors: z.number().int().describe('The number of visitors.'),
      }),
    )
    .describe(`The ${maxValues} ${what} with the most current visitors, largest first.${by}`);

const Live = z
  .object({
    at: z.iso.datetime().describe('When this was counted.'),
    window_seconds: z.number().describe('Current visitors had an event within this time: 300 seconds, less for very busy accounts.'),
    visitors: z.number().int().describe('Current visitors, without bots.'),
    pageviews: z.number().int().describe('Page views in this time.'),
    events: z.number().int().describe('Events in this time, including page views.'),
    pages: values('pages', ' A visitor counts for its latest page.'),
    sources: values('sources', ' A visitor counts for the source of its session.'),
    countries: values('countries'),
  })
  .meta({ id: 'Live' });

export function getLive(app: Server, stores: SessionEventStores) {
  app.get(
    '/v2/leadpulse/live',
    {
      config: { scope: 'leadpulse:read' },
      schema: {
        operationId: 'getLive',
        summary: 'Get current visitors',
        description: 'Counts the visitors of the last five minutes, by page, source and country.',
        response: { 200: success(Live) },
      },
    },
    async (request) => ({ success: true as const, data: await live(stores, request.principal.accountId, new Date()) }),
  );
}

async function live(stores: SessionEventStores, accountId: AccountId, now: Date): Promise<z.output<typeof Live>> {
  const since = (ms: number) => ({ from: new Date(now.getTime() - ms), to: new Date(now.getTime() + aheadMs), bots: false });
  let window = windowMs;
  while (window > minWindowMs && (await stores.events.matching(accountId, since(window), maxEvents + 1)) > maxEvents) window /= 2;

  const counts = { pageviews: 0, events: 0 };
  const visitors = new Map<string, { page: string | null; source: string | null; country: string | null }>();
  for await (const batch of batchesWithSessions(stores, accountId, since(window))) {
    for (const { event, session } of batch) {
      counts.events += 1;
      if (event.name === '$pageview') counts.pageviews += 1;
      // Events of a visitor are in order, so the latest wins.
      const page = event.path ?? visitors.get(event.visitor)?.page ?? null;
      visitors.set(event.visitor, { page, source: session?.touch.source ?? null, country: event.country });
    }
  }
  const by = (name: 'page' | 'source' | 'country') =>
    [...Map.groupBy(visitors.values(), (visitor) => visitor[name])]
      .map(([value, own]) => ({ value, visitors: own.length }))
      .sort((a, b) => b.visitors - a.visitors || ((a.value ?? '') < (b.value ?? '') ? -1 : 1))
      .slice(0, maxValues);
  return {
    at: now.toISOString(),
    window_seconds: window / 1_000,
    visitors: visitors.size,
    ...counts,
    pages: by('page'),
    sources: by('source'),
    countries: by('country'),
  };
}
