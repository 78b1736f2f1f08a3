import { isDeepStrictEqual } from 'node:util';
import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { etagOf, requireMatch } from '@mp/service-kit/precondition';
import { mayRead } from '@mp/service-kit/principal';
import type { Transact } from '@mp/service-kit/transact';
import { z } from 'zod';
import type { BackfillRunner } from '../backfills/backfill-runner.ts';
import type { BackfillsStore } from '../backfills/backfills-store.ts';
import type { Clock } from '../clock.ts';
import { checkDefinition } from './check-definition.ts';
import type { FitDefinition } from './fit-definition.ts';
import { changeSegment, Segment } from './segment.ts';
import { refuseReadOnly, segmentBodyLimit, UpdateSegmentBody } from './segment-body.ts';
import type { SegmentCounts } from './segment-counts.ts';
import type { SegmentsStore } from './segments-store.ts';

type Deps = {
  segments: SegmentsStore;
  fitDefinition: FitDefinition;
  counts: SegmentCounts;
  backfills: BackfillsStore;
  runner: Pick<BackfillRunner, 'wake'>;
  transact: Transact;
  clock: Clock;
};

export function updateSegment(app: Server, { segments, fitDefinition, counts, backfills, runner, transact, clock }: Deps) {
  app.put(
    '/v2/segments/:id',
    {
      config: { scope: 'segments:write', bodyLimit: segmentBodyLimit },
      schema: {
        operationId: 'updateSegment',
        summary: 'Update a segment',
        description:
          'Members left out stay. A new `definition` is a new version: every contact is asked again, members are those of the version ' +
          'before until it is `ready`, and only the difference is told, with the cause `definition`. Of a segment that is `failed`, the same ' +
          'definition is a new version too. Optional `If-Match`.',
        params: z.object({ id: z.string() }),
        querystring: noQuery,
        body: UpdateSegmentBody,
        response: { 200: success(Segment) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      let { definition } = request.body;
      return transact(
        request,
        reply,
        async (tx) => {
          const before = await segments.get(accountId, request.params.id, tx);
          requireMatch(request, before);
          refuseReadOnly(request.body, before);
          const { segment, changed, redefined } = changeSegment(before, { ...request.body, definition }, clock());
          if (redefined) {
            checkDefinition(segment.id, segment.name, segment.definition, await segments.allOf(accountId, tx));
            await backfills.fill(tx, accountId, segment);
            tx.afterCommit(() => runner.wake());
          }
          if (changed) await segments.replace(tx, accountId, segment, mayRead(request.principal, 'segments:read'));
          return { status: 200, data: await counts.view(accountId, segment), etag: etagOf(segment) };
        },
        {
          // What GET returned may be put back, also where an attribute has another type by now.
          before: async () => {
            const known = definition && (await segments.findOne(accountId, request.params.id))?.definition;
            if (definition && !isDeepStrictEqual(definition, known)) definition = await fitDefinition(accountId, definition);
          },
        },
      );
    },
  );
}
