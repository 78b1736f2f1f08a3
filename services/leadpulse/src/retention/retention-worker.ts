import type { Logger } from '@mp/service-kit/logger';
import { createRunner, type Runner } from '@mp/service-kit/runner';
import type { EventsStore } from '../events/events-store.ts';
import type { SessionsStore } from '../sessions/sessions-store.ts';
import { storedSince } from '../settings/settings.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import type { VisitorDeletionsStore } from '../visitors/visitor-deletions-store.ts';
import type { VisitorsStore } from '../visitors/visitors-store.ts';
import { createDeleteVisitorData } from './delete-visitor-data.ts';

type Stores = { events: EventsStore; sessions: SessionsStore; visitors: VisitorsStore };
type Deps = Stores & { settings: SettingsStore; deletions: VisitorDeletionsStore; logger: Logger };

const sweepMs = 60 * 60 * 1_000;
const batchSize = 1_000;

/** Deletes the events and sessions of deleted visitors, and what is older than its account stores. It may run in several processes. */
export function createRetentionWorker({ settings, deletions, logger, ...stores }: Deps): Runner {
  const { events, sessions, visitors } = stores;
  const deleteVisitorData = createDeleteVisitorData({ events, sessions, deletions });
  let sweptAt = 0;

  async function removeOld(signal: AbortSignal, now: number) {
    const failures: unknown[] = [];
    const accounts = new Set([...(await events.accounts()), ...(await visitors.accounts())]);
    for (const accountId of accounts) {
      if (signal.aborted) break;
      try {
        const before = storedSince(await settings.of(accountId), now);
        // Deleted visitors do not wait until everything old is gone.
        for (const store of [events, sessions, visitors])
          while (!signal.aborted && (await store.removeBefore(accountId, before, batchSize))) await deleteVisitorData(signal);
      } catch (error) {
        failures.push(error);
      }
    }
    // Only now, so that one account does not stop the others.
    if (failures.length > 0) throw failures[0];
  }

  return createRunner({
    logger,
    warning: 'deleting old events failed; retrying',
    async work(signal) {
      await deleteVisitorData(signal);
      const now = Date.now();
      if (now - sweptAt >= sweepMs) {
        await removeOld(signal, now);
        sweptAt = now;
      }
      return false;
    },
  });
}
