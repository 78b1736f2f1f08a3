import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { linkNext } from '@mp/service-kit/list';
import { ListVisitorsQuery } from './visitor-filters.ts';
import { VisitorView, viewOf } from './visitor-view.ts';
import type { VisitorsStore } from './visitors-store.ts';

export function listVisitors(app: Server, { visitors }: { visitors: VisitorsStore }) {
  app.get(
    '/v2/leadpulse/visitors',
    {
      config: { scope: 'leadpulse:read' },
      schema: {
        operationId: 'listVisitors',
        summary: 'List visitors',
        description:
          '**Filters.** `visitor_id` and `contact_id` go with anything. One of `identified` and `event` goes with ranges over and sort by ' +
          '`last_seen_at`. Ranges over `last_seen_at` or `first_seen_at` go with the sort by the same field.',
        querystring: ListVisitorsQuery,
        response: { 200: page(VisitorView) },
      },
    },
    async (request, reply) => {
      const { items, pagination } = await visitors.list(request.principal.accountId, request.query);
      linkNext(request, reply, pagination);
      return { success: true as const, data: { items: items.map(viewOf), pagination } };
    },
  );
}
