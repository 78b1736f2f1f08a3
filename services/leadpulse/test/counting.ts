import type { AccountId } from '@mp/ids';
import type { Parts } from '@mp/service-kit/service-parts';
import { maxBatch } from '../src/counting/batch-sizes.ts';
import { type Counting, countBatch, nextBatch } from '../src/counting/count-events.ts';
import { createEventsStore } from '../src/events/events-store.ts';
import { createIdentitiesStore } from '../src/identities/identities-store.ts';
import { createRollupsStore } from '../src/rollups/rollups-store.ts';
import { createVisitorDaysStore } from '../src/rollups/visitor-days-store.ts';
import { createSessionsStore } from '../src/sessions/sessions-store.ts';
import { createSettingsStore } from '../src/settings/settings-store.ts';
import { createVisitorsStore } from '../src/visitors/visitors-store.ts';

/** The dependencies of counting, on a test's database and without the contacts service. */
export function testCounting({ mongo, outbox, cursors }: Parts): Counting {
  return {
    mongo,
    outbox,
    events: createEventsStore(mongo.db),
    visitors: createVisitorsStore(mongo.db, cursors),
    sessions: createSessionsStore(mongo.db),
    rollups: createRollupsStore(mongo.db),
    visitorDays: createVisitorDaysStore(mongo.db),
    identities: createIdentitiesStore(mongo.db),
    settings: createSettingsStore(mongo.db),
    lookUpContacts: async () => undefined,
    untilApplied: async () => undefined,
  };
}

/** Counts the oldest uncounted events of an account and returns their number. */
export const countEvents = async (counting: Counting, accountId: AccountId, limit = maxBatch): Promise<number> =>
  countBatch(counting, accountId, await nextBatch(counting, accountId, limit));
