import type { Position } from '@mp/contracts/position';
import type { Source } from '@mp/contracts/requests/positions';
import { streams } from '@mp/contracts/streams';
import type { AccountId, SegmentId } from '@mp/ids';
import { dependenciesOf } from '@mp/rules/dependencies';
import { pause } from '@mp/service-kit/backoff';
import { type Clock, latest } from '@mp/service-kit/clock';
import type { Consumer } from '@mp/service-kit/consume';
import { namedSegments } from '../segments/check-definition.ts';
import type { StoredSegment } from '../segments/segment.ts';
import type { SegmentCounts } from '../segments/segment-counts.ts';
import type { SegmentsStore } from '../segments/segments-store.ts';

export type CaughtUp = { state: 'caught_up'; asOf: Date } | { state: 'behind' | 'lost' };

export type Consistency = ReturnType<typeof createConsistency>;

type Deps = { consumers: readonly Consumer[]; segments: SegmentsStore; counts: SegmentCounts; clock: Clock };

const lookAgainMs = 25;

/** The earlier of two positions of a stream: that of the older epoch, or else the lower sequence in each lane. */
function earlierOf(one: Position, other: Position): Position {
  if (one.epoch !== other.epoch) return one.epoch < other.epoch ? one : other;
  const bulks = [one.bulk, other.bulk].filter((bulk) => bulk !== undefined);
  return { ...one, sequence: Math.min(one.sequence, other.sequence), ...(bulks.length > 0 && { bulk: Math.min(...bulks) }) };
}

/** Which services the members of segments depend on, and when everything up to given positions has been applied. */
export function createConsistency({ consumers, segments, counts, clock }: Deps) {
  /** These segments and all that their rules use, directly or indirectly. */
  async function withNamed(accountId: AccountId, segmentIds: readonly SegmentId[]): Promise<StoredSegment[]> {
    const found = new Map<SegmentId, StoredSegment>();
    for (let wanted = [...new Set(segmentIds)]; wanted.length > 0; ) {
      const next = await segments.find(accountId, wanted);
      for (const segment of next) found.set(segment.id, segment);
      wanted = [...new Set(next.flatMap(({ definition }) => namedSegments(definition)))].filter((id) => !found.has(id));
    }
    return [...found.values()];
  }

  async function progressTo(positions: readonly Position[]): Promise<'applied' | 'behind' | 'lost'> {
    const steps = positions.flatMap((position) =>
      consumers.filter(({ reads }) => reads.stream.name === position.stream).map((consumer) => consumer.progressTo(position)),
    );
    const progress = await Promise.all(steps);
    return progress.find((each) => each === 'lost') ?? progress.find((each) => each === 'behind') ?? 'applied';
  }

  /**
   * The time as of which the members reflect everything applied. It is not before any change of them, even if that change
   * was made by a replica whose clock is ahead. Undefined while one of the segments is building or failed: its members are
   * those of a version that may be older than the positions.
   */
  async function momentOf(accountId: AccountId, segmentIds: readonly SegmentId[]): Promise<Date | undefined> {
    const involved = await withNamed(accountId, segmentIds);
    if (involved.some(({ status }) => status !== 'ready')) return undefined;
    const ids = involved.map(({ id }) => id);
    const changedAt = await counts.lastChange(accountId, ids);
    return latest(clock(), ...(changedAt ? [changedAt] : []), ...involved.flatMap(({ builds }) => builds.map(({ to }) => to)));
  }

  return {
    /** Up to where the events of a source that change members have been applied, of all accounts. */
    async appliedOf(source: Source): Promise<Position> {
      const own = consumers.filter(({ reads }) => reads.stream.name === streams[source].name);
      const [first, ...others] = await Promise.all(own.map((consumer) => consumer.applied()));
      if (!first) throw new Error(`No consumer applies the events of ${source}.`);
      return others.reduce(earlierOf, first);
    },

    /** `lost`: a stream lost events since its position was read. */
    progressTo,

    async sourcesOf(accountId: AccountId, segmentIds: readonly SegmentId[]): Promise<Source[]> {
      const dependencies = (await withNamed(accountId, segmentIds)).flatMap(({ definition }) =>
        definition ? [dependenciesOf(definition)] : [],
      );
      return [
        'contacts',
        ...(dependencies.some(({ events }) => events.length > 0) ? (['leadpulse'] as const) : []),
        ...(dependencies.some(({ campaigns }) => campaigns.length > 0) ? (['campaigns'] as const) : []),
      ];
    },

    /** The segments whose members are unknown, because building them, or a segment their rule uses, failed. */
    async failedOf(accountId: AccountId, segmentIds: readonly SegmentId[]): Promise<SegmentId[]> {
      const involved = await withNamed(accountId, segmentIds);
      const failed = new Set(involved.filter(({ status }) => status === 'failed').map(({ id }) => id));
      for (let before = -1; before < failed.size; ) {
        before = failed.size;
        for (const { id, definition } of involved) if (namedSegments(definition).some((named) => failed.has(named))) failed.add(id);
      }
      return segmentIds.filter((id) => failed.has(id));
    },

    /** Waits at most until `giveUpAt` (a `performance.now()` time). */
    async caughtUp(
      accountId: AccountId,
      segmentIds: readonly SegmentId[],
      positions: readonly Position[],
      giveUpAt: number,
    ): Promise<CaughtUp> {
      for (;;) {
        const progress = await progressTo(positions);
        if (progress === 'lost') return { state: 'lost' };
        const asOf = progress === 'applied' ? await momentOf(accountId, segmentIds) : undefined;
        if (asOf) return { state: 'caught_up', asOf };
        if (performance.now() > giveUpAt) return { state: 'behind' };
        await pause(lookAgainMs);
      }
    },
  };
}
