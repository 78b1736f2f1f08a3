import { ApiError } from '@mp/contracts/errors';
import { backoff } from '@mp/service-kit/backoff';
import { noteInLogs } from '@mp/service-kit/log-context';
import type { Logger } from '@mp/service-kit/logger';
import { isMongoUnavailable } from '@mp/service-kit/mongo';
import { createRunner } from '@mp/service-kit/runner';
import type { SegmentsStore } from '../segments/segments-store.ts';
import { type Backfill, type BackfillsStore, LostBackfill } from './backfills-store.ts';
import type { createEmptySegment } from './empty-segment.ts';
import type { createFillSegment } from './fill-segment.ts';

export type BackfillRunner = ReturnType<typeof createBackfillRunner>;

type Config = {
  logger: Logger;
  backfills: BackfillsStore;
  segments: SegmentsStore;
  fillSegment: ReturnType<typeof createFillSegment>;
  emptyChunk: ReturnType<typeof createEmptySegment>;
  /** Contacts per transaction. */
  chunkSize?: number;
};

const inParallel = 2;

/** After this many chunks another backfill gets its turn. */
const chunksPerTurn = 25;
const lookAgainMs = 500;
const maxFailures = 10;

/** By default MongoDB aborts transactions after 60 s, so by then no contact can still enter a deleted segment. */
const lastLookMs = 90_000;

/** Processes backfills by lease, in turns, each from the end of its last committed chunk. */
export function createBackfillRunner({ logger, backfills, segments, fillSegment, emptyChunk, chunkSize = 200 }: Config) {
  /** Halved after each failure, so that a chunk that is too large or conflicts too often eventually succeeds. */
  const sizeOf = ({ failures }: Backfill) => Math.max(1, chunkSize >> Math.min(failures, 10));

  async function fill(backfill: Backfill, signal?: AbortSignal) {
    let { after } = backfill;
    for (let chunk = 0; chunk < chunksPerTurn && !signal?.aborted; chunk += 1) {
      const next = backfill.kind === 'copy' ? fillSegment.copyChunk : fillSegment.fillChunk;
      const last = await next(backfill, after, sizeOf(backfill));
      if (last === null) return fillSegment.finish(backfill);
      after = last;
    }
    await backfills.release(backfill);
  }

  async function empty(backfill: Backfill, signal?: AbortSignal) {
    let total = 0;
    for (let chunk = 0; chunk < chunksPerTurn && !signal?.aborted; chunk += 1) {
      const size = sizeOf(backfill);
      const found = await emptyChunk(backfill, size);
      total += found;
      if (found === size) continue;
      return total === 0 && backfill.lastLook ? backfills.remove(backfill) : backfills.checkAgain(backfill, lastLookMs);
    }
    await backfills.release(backfill);
  }

  async function failed(backfill: Backfill, error: unknown) {
    if (error instanceof LostBackfill) return;
    const meetsOthers = isMongoUnavailable(error) || (error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE');
    logger.warn({ err: error, segment: backfill.segmentId, failures: backfill.failures }, 'backfill interrupted; it will resume');
    if (backfill.kind !== 'empty' && backfill.failures >= maxFailures && !meetsOthers) {
      logger.error({ err: error, segment: backfill.segmentId }, 'backfill failed permanently');
      await segments.markFailed(backfill.accountId, backfill.segmentId, backfill.version);
      return backfills.remove(backfill);
    }
    await backfills.delay(backfill, backoff(Math.min(backfill.failures, 8), 100, 30_000));
  }

  /** Works on one backfill for one turn. False if there is none. */
  async function serveOne(signal?: AbortSignal): Promise<boolean> {
    const backfill = await backfills.claim();
    if (!backfill) return false;
    noteInLogs({ account_id: backfill.accountId });
    try {
      await (backfill.kind === 'empty' ? empty(backfill, signal) : fill(backfill, signal));
    } catch (error) {
      await failed(backfill, error);
    }
    return true;
  }

  const runners = Array.from({ length: inParallel }, () =>
    createRunner({
      logger,
      warning: 'backfills are delayed; retrying',
      backoffMs: { first: 200, max: 5_000 },
      lookEveryMs: lookAgainMs,
      work: serveOne,
    }),
  );

  return {
    serveOne,

    /** Starts work immediately instead of at the next check. */
    wake() {
      for (const runner of runners) runner.wake();
    },
    start() {
      for (const runner of runners) runner.start();
    },
    async stop() {
      await Promise.all(runners.map((runner) => runner.stop()));
    },
  };
}
