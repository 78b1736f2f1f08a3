import { newId } from '@mp/ids';
import { backoff, pause } from '@mp/service-kit/backoff';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import type { Clock } from '../clock.ts';
import { isKnown } from '../profiles/profile.ts';
import type { ProfilesStore } from '../profiles/profiles-store.ts';
import type { createDefinitions } from '../segments/definitions.ts';
import type { Due, DueStore } from './due-store.ts';
import type { Evaluate } from './evaluate.ts';

const atOnce = 100;
const inParallel = 8;
const longestNapMs = 500;
const shortestNapMs = 25;

type Config = {
  mongo: Mongo;
  logger: Logger;
  clock: Clock;
  due: DueStore;
  profiles: ProfilesStore;
  definitionsOf: ReturnType<typeof createDefinitions>;
  evaluate: Evaluate;
};

/** Evaluates each pair of segment and contact at the moment at which time alone can change its answer. */
export function createDueTimer({ mongo, logger, clock, due, profiles, definitionsOf, evaluate }: Config) {
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();

  async function settle(claimed: Due) {
    const { accountId, segmentId, contactId } = claimed;
    await mongo.transaction({ correlationId: newId('request'), causationId: null }, async (tx) => {
      const now = clock();
      const profile = await profiles.touch(tx, accountId, contactId, now);
      if (!(await due.isDue(tx, claimed, now))) return;
      const index = await definitionsOf(tx, accountId);
      if (!profile || !isKnown(profile) || !index.get(segmentId)) {
        return due.change(tx, accountId, [{ segmentId, contactId, dueAt: null }]);
      }
      await evaluate(tx, { accountId, index, profiles: [profile], segmentIds: new Set([segmentId]), cause: 'time', now });
    });
  }

  /** Settles what is due now. Returns how many pairs that were. */
  async function settleDue(): Promise<number> {
    const claimed = await due.claim(clock(), atOnce);
    const waiting = claimed.values();
    const work = async () => {
      for (const one of waiting) {
        // Its lease runs out and somebody takes it again.
        await settle(one).catch((error: unknown) =>
          logger.warn({ err: error, due: one.id }, 'due evaluation failed; it will be tried again'),
        );
      }
    };
    await Promise.all(Array.from({ length: inParallel }, work));
    return claimed.length;
  }

  async function run() {
    for (let failures = 0; !stopping.signal.aborted; ) {
      try {
        if ((await settleDue()) === 0) await pause(napMs(await due.next(), clock()), stopping.signal);
        failures = 0;
      } catch (error) {
        if (failures % 10 === 0) logger.warn({ err: error }, 'the timer waits');
        failures += 1;
        await pause(backoff(failures, 100, 5_000), stopping.signal);
      }
    }
  }

  return {
    settleDue,
    start() {
      running = run();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

const napMs = (next: Date | undefined, now: Date) =>
  Math.max(shortestNapMs, Math.min(longestNapMs, next === undefined ? longestNapMs : next.getTime() - now.getTime()));
