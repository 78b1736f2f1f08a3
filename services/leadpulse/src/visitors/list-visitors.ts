import { page } from '@mp/contracts/envelope';
import type { Broker } from '@mp/service-kit/broker';
import type { Server } from '@mp/service-kit/create-server';
import { withContacts } from '@mp/service-kit/include-contacts';
import { linkNext } from '@mp/service-kit/list';
import { ListVisitorsQuery } from './visitor-filters.ts';
import { VisitorView, viewOf } from './visitor-view.ts';
import type { VisitorsStore } from './visitors-store.ts';

export function listVisitors(app: Server, { visitors, broker }: { visitors: VisitorsStore; broker: Pick<Broker, 'ask'> }) {
  app.get(
    '/v2/leadpulse/visitors',
    {
      config: { scope: 'leadpulse:read' },
      schema: {
        operationId: 'listVisitors',
        summary: 'List visitors',
        description:
          '**Filters.** `visitor_id` and `contact_id` combine with every filter and sort. `identified`, `event`, `country`, `channel` and `source` (one at a time) combine with a range ' +
          'over `last_seen_at` and the sort by it. A range over `last_seen_at` or `first_seen_at` needs the sort by the same field.',
        querystring: ListVisitorsQuery,
        response: { 200: page(VisitorView) },
      },
    },
    async (request, reply) => {
      const { items, pagination } = await visitors.list(request.principal.accountId, request.query);
      const views = items.map(viewOf);
      const isAsked = request.query.include?.includes('contact');
      const shown = isAsked ? await withContacts(broker, request.principal, views, ({ contact_id }) => contact_id) : views;
      linkNext(request, reply, pagination);
      return { success: true as const, data: { items: shown, pagination } };
    },
  );
}
