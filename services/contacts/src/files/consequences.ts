import { eventsBetween, type Position } from '@mp/contracts/position';
import { SegmentsApplied } from '@mp/contracts/requests/segments';
import type { AccountId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import { createFailureLog } from '@mp/service-kit/failure-log';
import type { Logger } from '@mp/service-kit/logger';
import type { PositionOf } from '@mp/service-kit/reply-position';
import { z } from 'zod';
import type { KnownConsequences } from './leased-jobs.ts';

export const Consequences = z
  .object({
    status: z
      .enum(['pending', 'applied'])
      .describe('`pending` until segments reflect every contact that the job changed. Other accounts, and single changes, do not wait.'),
    progress: z.number().describe('Share of the changed contacts that segments reflect, from 0 to 1; at least this much.'),
    applied_at: z.iso.datetime().nullable().describe('When a response first said `applied`; segments may have been up to date before.'),
  })
  .meta({ id: 'Consequences' });
export type Consequences = z.infer<typeof Consequences>;

/** The field of a job. */
export const consequencesField = Consequences.nullable().describe(
  'What follows from the job in segments; null for one that changes nothing.',
);

/** Where the jobs are stored. */
type Jobs = {
  consequencesOf: (accountId: AccountId, id: string) => Promise<KnownConsequences>;
  keepConsequences: (accountId: AccountId, id: string, known: KnownConsequences) => Promise<void>;
};

type Job = { id: string; dry_run: boolean; completed_at: string | null };

type Deps = { broker: Pick<Broker, 'request' | 'ready'>; logger: Pick<Logger, 'warn' | 'info'>; positionOf: PositionOf };

export type ReadConsequences = ReturnType<typeof createReadConsequences>;

const replyMs = 2_000;
const pending = (progress = 0): Consequences => ({ status: 'pending', progress, applied_at: null });
const applied = (at: Date): Consequences => ({ status: 'applied', progress: 1, applied_at: at.toISOString() });

/**
 * Finds out, when a job that has ended is read, whether segments has applied its events: all those of the account that were written
 * before the first such read. What was found is stored with the job, so that later changes do not delay it.
 */
export function createReadConsequences({ broker, logger, positionOf }: Deps) {
  const looking = createFailureLog(logger, 'cannot find out what the segments service has applied; jobs stay pending');

  async function positionFor(jobs: Jobs, accountId: AccountId, id: string, known: KnownConsequences): Promise<Position | undefined> {
    if (known.position) return known.position;
    const { position, mark } = await positionOf({ account_id: accountId, mark: known.mark ?? null, after: [] });
    await jobs.keepConsequences(accountId, id, position ? { position } : { ...(mark !== null && { mark }) });
    return position ?? undefined;
  }

  async function look(jobs: Jobs, accountId: AccountId, { id, changed }: { id: string; changed: number }): Promise<Consequences> {
    const known = await jobs.consequencesOf(accountId, id);
    if (known.applied_at) return applied(known.applied_at);
    if (!broker.ready()) return pending();
    const position = await positionFor(jobs, accountId, id, known);
    if (!position) return pending();
    const reached = (await broker.request(SegmentsApplied, {}, replyMs)).applied;
    if (reached.epoch !== position.epoch) {
      // The stream was lost, and its events are published again, at other positions.
      await jobs.keepConsequences(accountId, id, {});
      return pending();
    }
    const left = eventsBetween(reached, position);
    if (left > 0) return pending(changed === 0 ? 0 : Math.floor(Math.max(0, 1 - left / changed) * 1_000) / 1_000);
    const at = new Date();
    await jobs.keepConsequences(accountId, id, { applied_at: at });
    return applied(at);
  }

  /** `changed`: how many contacts the job changed. Null for a dry run. */
  return async (jobs: Jobs, accountId: AccountId, { id, dry_run, completed_at }: Job, changed: number): Promise<Consequences | null> => {
    if (dry_run) return null;
    if (completed_at === null) return pending();
    try {
      const found = await look(jobs, accountId, { id, changed });
      looking.succeeded();
      return found;
    } catch (error) {
      looking.failed(error);
      return pending();
    }
  };
}
