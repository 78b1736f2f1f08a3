import { page } from '@mp/contracts/envelope';
import { contactId, visitorId } from '@mp/contracts/ids';
import { trustedId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Cursors } from '@mp/service-kit/cursor';
import { z } from 'zod';
import type { Attempt } from './evaluate-funnel.ts';
import { funnelPeopleFields, isContact, type PeopleStores, readFunnelPeople } from './funnel-people.ts';
import { maxEventsNow } from './run-report.ts';

const Body = z.strictObject({
  ...funnelPeopleFields,
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

export function listFunnelPeople(app: Server, { cursors, ...stores }: PeopleStores & { cursors: Cursors }) {
  app.post(
    '/v2/leadpulse/funnels/people',
    {
      config: { scope: 'leadpulse:read', reads: true },
      schema: {
        operationId: 'listFunnelPeople',
        summary: 'List the people at a funnel step',
        description:
          'The same people that `POST /v2/leadpulse/funnels` counts, by ID. Set `from` and `to`, so that all pages read the same events: ' +
          `at most ${maxEventsNow.toLocaleString('en')}.`,
        body: Body,
        response: { 200: page(Person) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const { cursor, limit, ...body } = request.body;
      const boundTo = ['funnel people', accountId, body];
      const after = cursor === undefined ? undefined : cursors.decode(boundTo, cursor).id;
      const found = await readFunnelPeople(stores, accountId, body, { after, limit: limit + 1 });
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

const personOf = (attempt: Attempt): z.output<typeof Person> => ({
  contact_id: isContact(attempt) ? trustedId<'contact'>(attempt.person) : null,
  visitor_id: attempt.entry.visitor,
  reached: attempt.times.map((at) => new Date(at).toISOString()),
});
