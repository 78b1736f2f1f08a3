import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { etagOf } from '@mp/service-kit/precondition';
import { mayRead } from '@mp/service-kit/principal';
import type { Transact } from '@mp/service-kit/transact';
import type { BackfillRunner } from '../backfills/backfill-runner.ts';
import type { BackfillsStore } from '../backfills/backfills-store.ts';
import type { Clock } from '../clock.ts';
import { checkDefinition } from './check-definition.ts';
import type { FitDefinition } from './fit-definition.ts';
import { newSegment, Segment } from './segment.ts';
import { CreateSegmentBody, segmentBodyLimit } from './segment-body.ts';
import { type SegmentCounts, viewOf } from './segment-counts.ts';
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

export function createSegment(app: Server, { segments, fitDefinition, counts, backfills, runner, transact, clock }: Deps) {
  app.post(
    '/v2/segments',
    {
      config: { scope: 'segments:write', bodyLimit: segmentBodyLimit },
      schema: {
        operationId: 'createSegment',
        summary: 'Create a segment',
        description:
          'Returns immediately with the status `building`; the segment is `ready` once every contact has been evaluated. From then on, ' +
          'members are updated automatically with every contact change, every event and the passage of time. A value is converted to ' +
          'the type of its attribute if nothing is lost (`10115` for text becomes `"10115"`), and rejected if it could never match. ' +
          'Events sent with `backfill: true`, and events of a contact from before it was merged into another, do not count yet.',
        querystring: noQuery,
        body: CreateSegmentBody,
        response: { 201: success(Segment) },
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      let { definition } = request.body;
      return transact(
        request,
        reply,
        async (tx) => {
          const segment = newSegment({ ...request.body, definition }, clock());
          checkDefinition(segment.id, segment.name, segment.definition, await segments.allOf(accountId, tx));
          await segments.insert(tx, accountId, segment, mayRead(request.principal, 'segments:read'));
          await counts.insert(tx, accountId, segment.id);
          await backfills.fill(tx, accountId, segment);
          tx.afterCommit(() => runner.wake());
          return { status: 201, data: viewOf(segment, undefined), location: `/v2/segments/${segment.id}`, etag: etagOf(segment) };
        },
        {
          before: async () => {
            definition = await fitDefinition(accountId, definition);
          },
        },
      );
    },
  );
}
