import { createApprovalsStore } from '@mp/service-kit/approvals-store';
import type { Clock } from '@mp/service-kit/clock';
import type { Parts } from '@mp/service-kit/service-parts';
import { createCandidatesStore } from './candidates/candidates-store.ts';
import { createContactsStore } from './contacts/contacts-store.ts';
import { createCountsStore } from './counts/counts-store.ts';
import { createEnrollmentsStore } from './enrollments/enrollments-store.ts';
import { createDeliveredStore } from './journal/delivered-store.ts';
import { createOccurrencesStore } from './occurrences/occurrences-store.ts';
import { createCapacityStore } from './runs/capacity-store.ts';
import { createRunsStore } from './runs/runs-store.ts';
import { createTicksStore } from './schedules/ticks-store.ts';
import { createSettingsStore } from './settings/settings-store.ts';
import { createCancelledImportsStore } from './triggers/cancelled-imports-store.ts';
import { createChainsStore } from './triggers/chains-store.ts';
import type { PublishReferences } from './workflows/publish-references.ts';
import { createWorkflowsStore } from './workflows/workflows-store.ts';

export type Stores = ReturnType<typeof createStores>;

type Deps = { publishReferences: PublishReferences; clock: Clock };

/** Every collection that only this service accesses, without those of webhooks. */
export function createStores({ mongo: { db }, cursors, logger }: Parts, { publishReferences, clock }: Deps) {
  const ticks = createTicksStore(db);
  const enrollments = createEnrollmentsStore(db);
  const settings = createSettingsStore(db);
  const workflows = createWorkflowsStore(
    db,
    cursors,
    async (...written) => {
      await publishReferences(...written);
      await ticks.plan(...written);
      await enrollments.follow(...written);
    },
    settings,
  );
  const stores = {
    workflows,
    settings,
    approvals: createApprovalsStore(db),
    runs: createRunsStore(db, cursors, (err) => logger.warn({ err }, 'cannot wake runs; they continue when they are due')),
    capacity: createCapacityStore(db),
    counts: createCountsStore(db),
    contacts: createContactsStore(db),
    occurrences: createOccurrencesStore(db),
    ticks,
    enrollments,
    chains: createChainsStore(db),
    cancelledImports: createCancelledImportsStore(db),
    candidates: createCandidatesStore(db, clock),
    delivered: createDeliveredStore(db),
  };
  return {
    ...stores,
    prepare: async () => {
      for (const store of Object.values(stores)) await store.prepare();
    },
  };
}
