import { isDeepStrictEqual } from 'node:util';
import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import { segmentId } from '@mp/contracts/ids';
import type { Clock } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import { mayRead } from '@mp/service-kit/principal';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { BackfillRunner } from '../backfills/backfill-runner.ts';
import type { BackfillsStore } from '../backfills/backfills-store.ts';
import { checkDefinition } from './check-definition.ts';
import type { FindWarnings } from './find-warnings.ts';
import type { FitDefinition } from './fit-definition.ts';
import { changeSegment, DefinedSegment } from './segment.ts';
import { checkUpdate, segmentBodyLimit, UpdateSegmentBody } from './segment-body.ts';
import type { SegmentCounts } from './segment-counts.ts';
import type { SegmentsStore } from './segments-store.ts';
import type { VersionsStore } from './versions-store.ts';

type Deps = {
  segments: SegmentsStore;
  fitDefinition: FitDefinition;
  findWarnings: FindWarnings;
  counts: SegmentCounts;
  versions: VersionsStore;
  backfills: BackfillsStore;
  runner: Pick<BackfillRunner, 'wake'>;
  transact: Transact;
  clock: Clock;
};

const UpdateSegmentQuery = z.strictObject({
  start_workflows: z
    .enum(['true', 'false'])
    .default('true')
    .transform((value) => value === 'true')
    .describe('Whether contacts that enter or leave because of a new `definition` start runs of workflows.'),
});

export function updateSegment(
  app: Server,
  { segments, fitDefinition, findWarnings, counts, versions, backfills, runner, transact, clock }: Deps,
) {
  app.put(
    '/v2/segments/:id',
    {
      config: { scope: 'segments:write', bodyLimit: segmentBodyLimit, ifMatch: true },
      schema: {
        operationId: 'updateSegment',
        summary: 'Update a segment',
        description:
          'Omitted fields keep their value. A new `definition` creates a new version: every contact is re-evaluated, the members of the ' +
          'previous version are returned until the segment is `ready`, and only changes are published, with the cause `definition`. If ' +
          'the segment is `failed`, sending the same definition also creates a new version. Supports `If-Match`.',
        params: z.object({ id: segmentId }),
        querystring: UpdateSegmentQuery,
        body: UpdateSegmentBody,
        response: { 200: success(DefinedSegment) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      return transact(
        request,
        reply,
        async (tx, definition) => {
          const before = await segments.get(accountId, request.params.id, tx);
          requireMatch(request, before);
          checkUpdate(request.body, before);
          const { segment, changed, redefined } = changeSegment(before, { ...request.body, definition }, clock());
          if (redefined && before.archived_at !== null) {
            throw new ApiError('INVALID_STATE', `${before.id} is archived; restore it before you change its definition.`);
          }
          if (redefined && segment.definition) {
            checkDefinition(segment.id, segment.name, segment.definition, await segments.allOf(accountId, tx));
            await backfills.fill(tx, accountId, segment, request.query.start_workflows);
            await versions.insert(tx, accountId, segment, request.principal.id);
            tx.afterCommit(() => runner.wake());
          }
          if (changed) await segments.replace(tx, accountId, segment, mayRead(request.principal, 'segments:read'));
          const data = { ...(await counts.view(accountId, segment)), warnings: await findWarnings(accountId, segment.definition) };
          return { status: 200, data, etag: etagOf(segment) };
        },
        {
          // An unchanged definition from GET is accepted, even if the type of an attribute has changed since.
          before: async () => {
            const { definition } = request.body;
            const known = definition && (await segments.findOne(accountId, request.params.id))?.definition;
            return definition && !isDeepStrictEqual(definition, known) ? fitDefinition(accountId, definition) : definition;
          },
        },
      );
    },
  );
}
