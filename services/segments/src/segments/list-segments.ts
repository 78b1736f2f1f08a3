import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { addNextLink } from '@mp/service-kit/list';
import { Segment } from './segment.ts';
import type { SegmentCounts } from './segment-counts.ts';
import { ListSegmentsQuery } from './segment-filters.ts';
import type { SegmentsStore } from './segments-store.ts';

export function listSegments(app: Server, { segments, counts }: { segments: SegmentsStore; counts: SegmentCounts }) {
  app.get(
    '/v2/segments',
    {
      config: { scope: 'segments:read' },
      schema: {
        operationId: 'listSegments',
        summary: 'List segments',
        description:
          '**Filters.** `name` finds at most one segment and can be combined with any filter and sort, and so can `q`; `status` requires a sort by `created_at`.',
        querystring: ListSegmentsQuery,
        response: { 200: page(Segment) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { items, pagination } = await segments.list(accountId, request.query);
      addNextLink(request, reply, pagination);
      return { success: true as const, data: { items: await counts.views(accountId, items), pagination } };
    },
  );
}
