import { success } from '@mp/contracts/envelope';
import { segmentId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { etagOf } from '@mp/service-kit/precondition';
import { z } from 'zod';
import type { FindWarnings } from './find-warnings.ts';
import { DefinedSegment } from './segment.ts';
import type { SegmentCounts } from './segment-counts.ts';
import type { SegmentsStore } from './segments-store.ts';

type Deps = { segments: SegmentsStore; findWarnings: FindWarnings; counts: SegmentCounts };

export function getSegment(app: Server, { segments, findWarnings, counts }: Deps) {
  app.get(
    '/v2/segments/:id',
    {
      config: { scope: 'segments:read' },
      schema: {
        operationId: 'getSegment',
        summary: 'Get a segment',
        params: z.object({ id: segmentId }),
        querystring: noQuery,
        response: { 200: success(DefinedSegment) },
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const segment = await segments.get(accountId, request.params.id);
      const [view, warnings] = await Promise.all([counts.view(accountId, segment), findWarnings(accountId, segment.definition)]);
      return reply.header('etag', etagOf(segment)).send({ success: true, data: { ...view, warnings } });
    },
  );
}
