import { Deleted, success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import type { Principal, Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { requireMatch } from '@mp/service-kit/precondition';
import { mayRead } from '@mp/service-kit/principal';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { BackfillRunner } from '../backfills/backfill-runner.ts';
import type { BackfillsStore } from '../backfills/backfills-store.ts';
import type { AwaitConsistency } from '../consistency/await-consistency.ts';
import type { ReferencesStore, UserType } from '../references/references-store.ts';
import { namedSegments } from './check-definition.ts';
import type { SegmentCounts } from './segment-counts.ts';
import type { SegmentsStore } from './segments-store.ts';

type Deps = {
  segments: SegmentsStore;
  counts: SegmentCounts;
  backfills: BackfillsStore;
  references: ReferencesStore;
  awaitConsistency: Pick<AwaitConsistency, 'references'>;
  runner: Pick<BackfillRunner, 'wake'>;
  transact: Transact;
};

type User = { type: 'segment' | UserType; id: string; name: string };

const maxNamed = 100;

export function deleteSegment(app: Server, { segments, counts, backfills, references, awaitConsistency, runner, transact }: Deps) {
  app.delete(
    '/v2/segments/:id',
    {
      config: { scope: 'segments:write' },
      schema: {
        operationId: 'deleteSegment',
        summary: 'Delete a segment',
        description:
          'Members leave the segment in the background; each leave event has the cause `deletion`. Fails with 409 while another ' +
          'segment, a campaign that has not been sent, or a workflow that is not archived uses the segment. `details` lists them as ' +
          '`{type, id, name}`; `id` and `name` require permission to read them.',
        params: z.object({ id: z.string() }),
        querystring: noQuery,
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
          const naming = (await segments.allOf(accountId, tx)).filter(({ definition }) => namedSegments(definition).includes(segment.id));
          const users: User[] = [
            ...naming.map(({ id, name }) => ({ type: 'segment' as const, id, name })),
            ...(await references.using(tx, accountId, segment.id, maxNamed)),
          ];
          if (users.length > 0) throw inUse(request.principal, users.slice(0, maxNamed));
          await segments.remove(tx, accountId, segment.id);
          await counts.remove(tx, accountId, segment.id);
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

/** Names what uses the segment; if the caller may not read it, only its type. */
function inUse(principal: Principal, users: readonly User[]): ApiError {
  const details = users.map(({ type, id, name }) => {
    const named = mayRead(principal, `${type}s:read`);
    const message = named ? `The ${type} ${name} uses it.` : `A ${type} uses it.`;
    return { code: 'in_use', message, type, ...(named ? { id, name } : {}), ...(type === 'segment' ? { segment_id: id } : {}) };
  });
  const first = details.slice(0, 3).map(({ message }) => message);
  const more = details.length > first.length ? [`${details.length - first.length} more.`] : [];
  return new ApiError('INVALID_STATE', ['The segment is in use.', ...first, ...more, 'Remove it there first.'].join(' '), { details });
}
