import { success } from '@mp/contracts/envelope';
import { segmentId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf } from '@mp/service-kit/precondition';
import { z } from 'zod';
import type { ReadBacklog } from './backlog.ts';
import type { FindWarnings } from './find-warnings.ts';
import { DefinedSegment } from './segment.ts';
import type { SegmentCounts } from './segment-counts.ts';
import type { SegmentsStore } from './segments-store.ts';

type Deps = { segments: SegmentsStore; findWarnings: FindWarnings; counts: SegmentCounts; readBacklog: ReadBacklog };

export function getSegment(app: Server, { segments, findWarnings, counts, readBacklog }: Deps) {
  app.get(
    '/v2/segments/:id',
    {
      config: { scope: 'segments:read' },
      schema: {
        operationId: 'getSegment',
        summary: 'Get a segment',
        params: z.object({ id: segmentId }),
        querystring: z.strictObject({
          include: z.literal('backlog').optional().describe('`backlog`: also say up to when the members are up to date.'),
        }),
        response: { 200: success(DefinedSegment) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const segment = await segments.get(accountId, request.params.id);
      const [view, warnings, backlog] = await Promise.all([
        counts.view(accountId, segment),
        findWarnings(accountId, segment.definition),
        request.query.include === 'backlog' ? readBacklog(accountId, segment.id) : undefined,
      ]);
      const data = { ...view, warnings, ...(backlog !== undefined && { backlog }) };
      return reply.header('etag', etagOf(segment)).send({ success: true, data });
    },
  );
}
