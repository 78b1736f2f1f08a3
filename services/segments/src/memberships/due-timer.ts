import { newId } from '@mp/ids';
import type { Clock } from '@mp/service-kit/clock';
import { createFailureLog } from '@mp/service-kit/failure-log';
import { withLogContext } from '@mp/service-kit/log-context';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import { createRunner } from '@mp/service-kit/runner';
import { isKnown } from '../profiles/profile.ts';
import type { ProfilesStore } from '../profiles/profiles-store.ts';
import type { createDefinitionCache } from '../segments/definition-cache.ts';
import type { Due, DueStore } from './due-store.ts';
import type { Evaluate } from './evaluate.ts';

const atOnce = 100;
const inParallel = 8;
const lookEveryMs = 500;
const minNapMs = 25;

type Config = {
  mongo: Mongo;
  logger: Logger;
  clock: Clock;
  due: DueStore;
  profiles: ProfilesStore;
  definitionsOf: ReturnType<typeof createDefinitionCache>;
  evaluate: Evaluate;
};

/** Evaluates each pair of segment and contact at the time at which the passage of time alone can change the result. */
export function createDueTimer({ mongo, logger, clock, due, profiles, definitionsOf, evaluate }: Config) {
  const settling = createFailureLog(logger, 'a due evaluation failed; retrying', { recoveredAfter: 10 });

  async function settle(claimed: Due) {
    const { accountId, segmentId, contactId } = claimed;
    await mongo.transaction({ correlationId: newId('request'), causationId: null }, async (tx) => {
      const now = clock();
      const [profile] = await profiles.touch(tx, accountId, [contactId], now);
      if (!(await due.isDue(tx, claimed, now))) return;
      const index = await definitionsOf(tx, accountId);
      if (!profile || !isKnown(profile) || !index.get(segmentId)) {
        return due.change(tx, accountId, [{ segmentId, contactId, dueAt: null }]);
      }
      await evaluate(tx, { accountId, index, touched: [{ profile, segmentIds: new Set([segmentId]) }], cause: 'time', now });
    });
  }

  /** Evaluates the pairs that are due now. Returns how many there were. */
  async function settleDue(): Promise<number> {
    const claimed = await due.claim(clock(), atOnce);
    const waiting = claimed.values();
    const work = async () => {
      for (const one of waiting) {
        // A failed pair is retried when its lease expires.
        await withLogContext({ account_id: one.accountId }, () =>
          settle(one).then(settling.succeeded, (error: unknown) => settling.failed(error, { due: one.id })),
        );
      }
    };
    await Promise.all(Array.from({ length: inParallel }, work));
    return claimed.length;
  }

  const runner = createRunner({
    logger,
    warning: 'evaluating due segments failed; retrying',
    backoffMs: { first: 200, max: 5_000 },
    lookEveryMs,
    work: async () => (await settleDue()) > 0 || restUntil(await due.next(), clock()),
  });

  return { settleDue, start: runner.start, stop: runner.stop };
}

const restUntil = (next: Date | undefined, now: Date) =>
  next !== undefined && { atMostMs: Math.max(minNapMs, next.getTime() - now.getTime()) };
