import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import { segmentId } from '@mp/contracts/ids';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { AwaitConsistency } from '../consistency/await-consistency.ts';
import type { RequireUnused } from './require-unused.ts';
import { archived, Segment } from './segment.ts';
import type { SegmentCounts } from './segment-counts.ts';
import type { SegmentsStore } from './segments-store.ts';

type Deps = {
  segments: SegmentsStore;
  counts: SegmentCounts;
  requireUnused: RequireUnused;
  awaitConsistency: Pick<AwaitConsistency, 'references'>;
  transact: Transact;
  clock: Clock;
};

export function archiveSegment(app: Server, { segments, counts, requireUnused, awaitConsistency, transact, clock }: Deps) {
  app.post(
    '/v2/segments/:id/archive',
    {
      config: { scope: 'segments:write', ifMatch: true },
      schema: {
        operationId: 'archiveSegment',
        summary: 'Archive a segment',
        description:
          'Hides the segment from the list and stops evaluating it. Its history and current members are kept; a deleted contact still leaves it. Nothing is published. Its name stays taken. Fails with 409 while it is building, and while ' +
          'something uses it, like deletion. Archiving an archived segment changes nothing.',
        params: z.object({ id: segmentId }),
        body: z.strictObject({}),
        response: { 200: success(Segment) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      const { id } = request.params;
      return transact(
        request,
        reply,
        async (tx) => {
          const before = await segments.get(accountId, id, tx);
          requireMatch(request, before);
          if (before.archived_at !== null) return { status: 200, data: await counts.view(accountId, before), etag: etagOf(before) };
          if (before.status === 'building') throw new ApiError('INVALID_STATE', `${id} is building; archive it when its status is ready.`);
          await requireUnused(tx, request.principal, before);
          const segment = archived(before, clock());
          await segments.replace(tx, accountId, segment, true);
          return { status: 200, data: await counts.view(accountId, segment), etag: etagOf(segment) };
        },
        {
          // Waits only if the segment exists.
          before: async () => {
            if (await segments.findOne(accountId, id)) await awaitConsistency.references(accountId);
          },
        },
      );
    },
  );
}
