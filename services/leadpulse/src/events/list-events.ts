import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Cursors } from '@mp/service-kit/cursor';
import { addNextLink } from '@mp/service-kit/list';
import { z } from 'zod';
import type { IdentitiesStore } from '../identities/identities-store.ts';
import type { Event } from './event.ts';
import { ListEventsQuery } from './event-filters.ts';
import { EventView, eventView } from './event-view.ts';
import type { EventsStore } from './events-store.ts';

const ListedEvent = EventView.extend({ visitor: z.string().describe('The ID of the visitor.') }).meta({ id: 'ListedEvent' });

export const listedEvent = ({ event, visitor }: { event: Event; visitor: string }) => ({ ...eventView(event), visitor });

export function listEvents(
  app: Server,
  { events, identities, cursors }: { events: EventsStore; identities: IdentitiesStore; cursors: Cursors },
) {
  app.get(
    '/v2/leadpulse/events',
    {
      config: { scope: 'leadpulse:read' },
      schema: {
        operationId: 'listEvents',
        summary: 'List events',
        description:
          'Lists events once they are counted, which is usually within a second. All filters combine. `page` and `country` are compared with each event that the others select; ' +
          'if that takes too long, the request fails with 400 `too_broad`; use a shorter time range.',
        querystring: ListEventsQuery,
        response: { 200: page(ListedEvent) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { contact_id } = request.query;
      const contacts = contact_id === undefined ? [] : await identities.withMerged(accountId, contact_id);
      const { items, pagination } = await events.list(accountId, cursors, request.query, contacts);
      addNextLink(request, reply, pagination);
      return { success: true as const, data: { items: items.map(listedEvent), pagination } };
    },
  );
}
