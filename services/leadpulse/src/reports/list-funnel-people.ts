import { page } from '@mp/contracts/envelope';
import { invalid } from '@mp/contracts/errors';
import { contactId, visitorId } from '@mp/contracts/ids';
import { trustedId } from '@mp/ids';
import { windowMs } from '@mp/rules/duration';
import type { Server } from '@mp/service-kit/create-server';
import type { Cursors } from '@mp/service-kit/cursor';
import { noQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { EventsStore } from '../events/events-store.ts';
import { matcherOf } from './event-match.ts';
import { type Attempt, createFunnel } from './funnel.ts';
import { funnelFields, namesRead } from './funnel-report.ts';
import { reportFields, reportRange } from './report-range.ts';
import { maxEventsNow } from './run-report.ts';

const { from, to, timezone, include_bots } = reportFields;

const Body = z.strictObject({
  ...{ from, to, timezone, include_bots },
  ...funnelFields,
  step: z.number().int().min(1).max(10).describe('The number of the step, from 1.'),
  outcome: z
    .enum(['reached', 'dropped'])
    .default('reached')
    .describe('`reached`: the people who reached the step. `dropped`: those for whom it was the last one.'),
  limit: z.number().int().min(1).max(100).default(50).describe('Maximum number of items per page.'),
  cursor: z.string().max(1_024).optional().describe('`next_cursor` of the previous page.'),
});

const Person = z
  .object({
    contact_id: contactId.nullable().describe('The ID of the contact; null for a visitor without one.'),
    visitor_id: visitorId.describe('The ID of the visitor that entered.'),
    reached: z.array(z.iso.datetime()).describe('When the person reached each step.'),
  })
  .meta({ id: 'FunnelPerson' });

export function listFunnelPeople(app: Server, { events, cursors }: { events: EventsStore; cursors: Cursors }) {
  app.post(
    '/v2/leadpulse/funnels/people',
    {
      config: { scope: 'leadpulse:read', reads: true },
      schema: {
        operationId: 'listFunnelPeople',
        summary: 'List the people of a step of a funnel',
        description:
          'The same people that `POST /v2/leadpulse/funnels` counts, by ID. Set `from` and `to`, so that all pages read the same events: ' +
          `at most ${maxEventsNow.toLocaleString('en')}.`,
        querystring: noQuery,
        body: Body,
        response: { 200: page(Person) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const { cursor, limit, ...body } = request.body;
      const { steps, step, outcome } = body;
      if (step > steps.length) throw invalid('/step', 'out_of_range', `The funnel has ${steps.length} steps.`);
      const boundTo = ['funnel people', accountId, body];
      const range = reportRange({ ...body, background: false });
      const after = cursor === undefined ? undefined : cursors.decode(boundTo, cursor).id;
      const query = { from: range.from, to: range.to, names: namesRead(body), bots: body.include_bots, after };
      if ((await events.matching(accountId, query, maxEventsNow + 1)) > maxEventsNow)
        throw invalid('/from', 'too_many_events', `The funnel reads more than ${maxEventsNow} events; use a shorter range.`);

      const found: Attempt[] = [];
      const isListed = ({ times }: Attempt) => (outcome === 'reached' ? times.length >= step : times.length === step);
      const funnel = createFunnel({
        steps: steps.map(matcherOf),
        windowMs: windowMs(body.window),
        isStrict: body.order === 'strict',
        onPerson(attempt) {
          if (isListed(attempt)) found.push(attempt);
        },
      });
      for await (const event of events.byPerson(accountId, query)) {
        funnel.add(event);
        if (found.length > limit) break;
      }
      funnel.finish();
      const items = found.slice(0, limit);
      const last = found.length > limit ? items.at(-1) : undefined;
      const next_cursor = last ? cursors.encode(boundTo, { value: null, id: last.person }) : null;
      return {
        success: true as const,
        data: { items: items.map(personOf), pagination: { limit, has_more: last !== undefined, next_cursor } },
      };
    },
  );
}

const personOf = ({ person, times, entry }: Attempt): z.output<typeof Person> => ({
  contact_id: person === entry.visitor ? null : trustedId<'contact'>(person),
  visitor_id: entry.visitor,
  reached: times.map((at) => new Date(at).toISOString()),
});
