import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Cursors } from '@mp/service-kit/cursor';
import { linkNext } from '@mp/service-kit/list';
import { z } from 'zod';
import type { Event } from './event.ts';
import { ListEventsQuery } from './event-filters.ts';
import { EventView, eventView } from './event-view.ts';
import type { EventsStore } from './events-store.ts';

const ListedEvent = EventView.extend({ visitor: z.string().describe('The ID of the visitor.') }).meta({ id: 'ListedEvent' });

export const listedEvent = ({ event, visitor }: { event: Event; visitor: string }) => ({ ...eventView(event), visitor });

export function listEvents(app: Server, { events, cursors }: { events: EventsStore; cursors: Cursors }) {
  app.get(
    '/v2/leadpulse/events',
    {
      config: { scope: 'leadpulse:read' },
      schema: {
        operationId: 'listEvents',
        summary: 'List events',
        description: 'Lists events once they are counted, which is usually within a second. All filters combine.',
        querystring: ListEventsQuery,
        response: { 200: page(ListedEvent) },
      },
    },
    async (request, reply) => {
      const { items, pagination } = await events.list(request.principal.accountId, cursors, request.query);
      linkNext(request, reply, pagination);
      return { success: true as const, data: { items: items.map(listedEvent), pagination } };
    },
  );
}
