import { Deleted, success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { requireMatch } from '@mp/service-kit/precondition';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { BackfillRunner } from '../backfills/backfill-runner.ts';
import type { BackfillsStore } from '../backfills/backfills-store.ts';
import { namedSegments } from './check-definition.ts';
import type { SegmentCounts } from './segment-counts.ts';
import type { SegmentsStore } from './segments-store.ts';

type Deps = {
  segments: SegmentsStore;
  counts: SegmentCounts;
  backfills: BackfillsStore;
  runner: Pick<BackfillRunner, 'wake'>;
  transact: Transact;
};

export function deleteSegment(app: Server, { segments, counts, backfills, runner, transact }: Deps) {
  app.delete(
    '/v2/segments/:id',
    {
      config: { scope: 'segments:write' },
      schema: {
        operationId: 'deleteSegment',
        summary: 'Delete a segment',
        description:
          'Its members leave it in the background, each told with the cause `deletion`. Refused (409) while another segment names it.',
        params: z.object({ id: z.string() }),
        querystring: noQuery,
        response: { 200: success(Deleted) },
      },
    },
    (request, reply) =>
      transact(request, reply, async (tx) => {
        const { accountId } = request.principal;
        const segment = await segments.get(accountId, request.params.id, tx);
        requireMatch(request, segment);
        const users = (await segments.allOf(accountId, tx)).filter(({ definition }) => namedSegments(definition).includes(segment.id));
        if (users.length > 0) {
          throw new ApiError(
            'INVALID_STATE',
            `Other segments name this one: ${users.map(({ name }) => name).join(', ')}. Change them first.`,
            {
              details: users.map(({ id, name }) => ({ code: 'in_use', message: `The segment ${name} names it.`, segment_id: id })),
            },
          );
        }
        await segments.remove(tx, accountId, segment.id);
        await counts.remove(tx, accountId, segment.id);
        await backfills.empty(tx, accountId, segment);
        tx.afterCommit(() => runner.wake());
        return { status: 200, data: { id: segment.id, deleted: true } };
      }),
  );
}
