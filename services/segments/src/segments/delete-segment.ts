import { Deleted, success } from '@mp/contracts/envelope';
import { segmentId } from '@mp/contracts/ids';
import type { Server } from '@mp/service-kit/create-server';
import { requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { BackfillRunner } from '../backfills/backfill-runner.ts';
import type { BackfillsStore } from '../backfills/backfills-store.ts';
import type { AwaitConsistency } from '../consistency/await-consistency.ts';
import type { RequireUnused } from './require-unused.ts';
import type { SegmentCounts } from './segment-counts.ts';
import type { SegmentsStore } from './segments-store.ts';
import type { VersionsStore } from './versions-store.ts';

type Deps = {
  segments: SegmentsStore;
  counts: SegmentCounts;
  versions: VersionsStore;
  backfills: BackfillsStore;
  requireUnused: RequireUnused;
  awaitConsistency: Pick<AwaitConsistency, 'references'>;
  runner: Pick<BackfillRunner, 'wake'>;
  transact: Transact;
};

export function deleteSegment(
  app: Server,
  { segments, counts, versions, backfills, requireUnused, awaitConsistency, runner, transact }: Deps,
) {
  app.delete(
    '/v2/segments/:id',
    {
      config: { scope: 'segments:write', ifMatch: true },
      schema: {
        operationId: 'deleteSegment',
        summary: 'Delete a segment',
        description:
          'Members leave the segment in the background; each leave event has the cause `deletion`. Fails with 409 while another ' +
          'segment, a campaign that has not been sent, or a workflow that is not archived uses the segment. `details` lists them as ' +
          '`{type, id, name}`; `id` and `name` require permission to read them.',
        params: z.object({ id: segmentId }),
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      return transact(
        request,
        reply,
        async (tx) => {
          const segment = await segments.get(accountId, request.params.id, tx);
          requireMatch(request, segment);
          await requireUnused(tx, request.principal, segment);
          await segments.remove(tx, accountId, segment.id);
          await counts.remove(tx, accountId, segment.id);
          await versions.remove(tx, accountId, segment.id);
          await backfills.empty(tx, accountId, segment);
          tx.afterCommit(() => runner.wake());
          return { status: 200, data: { id: segment.id, deleted: true } };
        },
        {
          // Waits only if the segment exists.
          before: async () => {
            if (await segments.findOne(accountId, request.params.id)) await awaitConsistency.references(accountId);
          },
        },
      );
    },
  );
}
