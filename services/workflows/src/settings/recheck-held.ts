import type { Clock } from '@mp/service-kit/clock';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import { createRunner } from '@mp/service-kit/runner';
import type { RecheckRuns } from '../runs/recheck-runs.ts';
import type { RunsStore } from '../runs/runs-store.ts';
import { type SettingsStore, staleMs } from './settings-store.ts';

type Deps = {
  mongo: Mongo;
  logger: Logger;
  settings: Pick<SettingsStore, 'claimChanged' | 'recheck'>;
  runs: Pick<RunsStore, 'heldBy'>;
  recheckRuns: RecheckRuns;
  clock: Clock;
};

const leaseMs = 30_000;
const atOnce = 50;

/**
 * Lets the runs whose email is held by quiet hours or the frequency cap try again after the account has changed either. In small batches, with accounts
 * taking turns; a second time when no engine uses the earlier settings any more.
 */
export const createRecheckHeld = ({ mongo, logger, settings, runs, recheckRuns, clock }: Deps) =>
  createRunner({
    logger,
    warning: 'cannot look for runs that wait because of earlier settings; retrying',
    async work() {
      const changed = await settings.claimChanged(clock(), leaseMs);
      if (!changed) return false;
      const held = await runs.heldBy(changed.accountId, changed.held, { after: changed.after, limit: atOnce });
      for (const run of held)
        await mongo.transaction({ correlationId: `${run.id}:${run.sequence}`, causationId: null }, (tx) => recheckRuns(tx, [run]));
      const last = held.at(-1)?.id ?? null;
      const again = new Date(changed.changedAt.getTime() + staleMs);
      if (last !== null) await settings.recheck(changed, { at: clock(), after: last });
      else await settings.recheck(changed, clock() < again ? { at: again, after: null } : undefined);
      return true;
    },
  });
