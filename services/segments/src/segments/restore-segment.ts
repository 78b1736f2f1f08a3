import { success } from '@mp/contracts/envelope';
import { segmentId } from '@mp/contracts/ids';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { BackfillRunner } from '../backfills/backfill-runner.ts';
import type { BackfillsStore } from '../backfills/backfills-store.ts';
import { checkDefinition } from './check-definition.ts';
import { restored, Segment } from './segment.ts';
import type { SegmentCounts } from './segment-counts.ts';
import type { SegmentsStore } from './segments-store.ts';
import type { VersionsStore } from './versions-store.ts';

type Deps = {
  segments: SegmentsStore;
  counts: SegmentCounts;
  versions: VersionsStore;
  backfills: BackfillsStore;
  runner: Pick<BackfillRunner, 'wake'>;
  transact: Transact;
  clock: Clock;
};

export function restoreSegment(app: Server, { segments, counts, versions, backfills, runner, transact, clock }: Deps) {
  app.post(
    '/v2/segments/:id/restore',
    {
      config: { scope: 'segments:write', ifMatch: true },
      schema: {
        operationId: 'restoreSegment',
        summary: 'Restore an archived segment',
        description:
          'Evaluates every contact again, as for a new version: returns immediately with the status `building`, and publishes only what ' +
          'has changed since it was archived, with the cause `definition`. A static segment is `ready` at once. Fails with 400 if the ' +
          'definition uses a segment that is archived or deleted. Restoring a segment that is not archived changes nothing.',
        params: z.object({ id: segmentId }),
        body: z.strictObject({}),
        response: { 200: success(Segment) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      return transact(request, reply, async (tx) => {
        const before = await segments.get(accountId, request.params.id, tx);
        requireMatch(request, before);
        if (before.archived_at === null) return { status: 200, data: await counts.view(accountId, before), etag: etagOf(before) };
        const segment = restored(before, clock());
        if (segment.definition) {
          checkDefinition(segment.id, segment.name, segment.definition, await segments.allOf(accountId, tx));
          await backfills.fill(tx, accountId, segment);
          await versions.insert(tx, accountId, segment, request.principal.id);
          tx.afterCommit(() => runner.wake());
        }
        await segments.replace(tx, accountId, segment, true);
        return { status: 200, data: await counts.view(accountId, segment), etag: etagOf(segment) };
      });
    },
  );
}
