import { success } from '@mp/contracts/envelope';
import { ApiError, invalid } from '@mp/contracts/errors';
import type { AccountId, SegmentId } from '@mp/ids';
import type { Clock } from '@mp/service-kit/clock';
import { latest } from '@mp/service-kit/clock';
import type { Server } from '@mp/service-kit/create-server';
import type { Transaction } from '@mp/service-kit/mongo';
import { etagOf } from '@mp/service-kit/precondition';
import { mayRead } from '@mp/service-kit/principal';
import type { Transact } from '@mp/service-kit/transact';
import type { BackfillRunner } from '../backfills/backfill-runner.ts';
import type { BackfillsStore } from '../backfills/backfills-store.ts';
import { checkDefinition } from './check-definition.ts';
import type { FindWarnings } from './find-warnings.ts';
import type { FitDefinition } from './fit-definition.ts';
import { DefinedSegment, newSegment, readableMoment } from './segment.ts';
import { CreateSegmentBody, segmentBodyLimit } from './segment-body.ts';
import { type SegmentCounts, viewOf } from './segment-counts.ts';
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

export function createSegment(
  app: Server,
  { segments, fitDefinition, findWarnings, counts, versions, backfills, runner, transact, clock }: Deps,
) {
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
          'With `kind: "static"`, creates a segment that changes only by requests to add and remove contacts; with `source_segment_id`, it ' +
          'starts with the members of that segment as of a moment.',
        body: CreateSegmentBody,
        response: { 201: success(DefinedSegment) },
      },
    },
    (request, reply) => {
      const { accountId, id: by } = request.principal;
      const { source_segment_id, source_as_of } = request.body;
      const { definition: wanted } = request.body;
      return transact(
        request,
        reply,
        async (tx, definition) => {
          const segment = newSegment({ ...request.body, definition }, clock(), { copied: source_segment_id !== undefined });
          if (definition) checkDefinition(segment.id, segment.name, definition, await segments.allOf(accountId, tx));
          await segments.insert(tx, accountId, segment, mayRead(request.principal, 'segments:read'));
          await counts.insert(tx, accountId, segment.id);
          await versions.insert(tx, accountId, segment, by);
          if (source_segment_id !== undefined) {
            const as_of = await copiedMoment(tx, accountId, source_segment_id, source_as_of);
            await backfills.copy(tx, accountId, segment, { segment_id: source_segment_id, as_of, by });
          } else if (definition) await backfills.fill(tx, accountId, segment);
          tx.afterCommit(() => runner.wake());
          const data = { ...viewOf(segment, undefined), warnings: await findWarnings(accountId, definition) };
          return { status: 201, data, location: `/v2/segments/${segment.id}`, etag: etagOf(segment) };
        },
        { before: async () => (wanted ? fitDefinition(accountId, wanted) : null) },
      );
    },
  );

  /** The time at which to read the members to copy. Throws if the source does not exist, or its members are not known then. */
  async function copiedMoment(tx: Transaction, accountId: AccountId, id: SegmentId, asOf: string | undefined): Promise<Date> {
    const source = await segments.findOne(accountId, id, tx);
    if (!source) throw invalid('/source_segment_id', 'unknown_segment', `No segment with the id ${id} in this account.`);
    // Not before the newest change, even if the clock of the replica that wrote it is ahead.
    const now = latest(clock(), (await counts.lastChange(accountId, [id])) ?? new Date(0));
    if (asOf !== undefined && new Date(asOf) > now) throw invalid('/source_as_of', 'in_future', 'source_as_of must not be in the future.');
    const moment = readableMoment(source, asOf === undefined ? now : new Date(asOf));
    if (!moment) throw new ApiError('INVALID_STATE', `${id} has not been built yet; retry when its status is ready.`);
    return moment;
  }
}
