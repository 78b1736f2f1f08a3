import { SegmentMemberChange } from '@mp/contracts/requests/segments';
import { createErasuresStore } from '@mp/erasures/erasures-store';
import { createEffectsStore } from '@mp/service-kit/effects-store';
import type { Parts } from '@mp/service-kit/service-parts';
import { createActivitiesStore } from './activities/activities-store.ts';
import { createBackfillsStore } from './backfills/backfills-store.ts';
import { createDueStore } from './memberships/due-store.ts';
import { createMembershipsStore } from './memberships/memberships-store.ts';
import { createSequencesStore } from './memberships/sequences-store.ts';
import { createNamesStore } from './names/names-store.ts';
import { createProfilesStore } from './profiles/profiles-store.ts';
import { createReferencesStore } from './references/references-store.ts';
import { createCountChangesStore } from './segments/count-changes-store.ts';
import { createGrowthStore } from './segments/growth-store.ts';
import { createSegmentsStore } from './segments/segments-store.ts';
import { createVersionsStore } from './segments/versions-store.ts';

/** Every store of the service; each collection is used by one store only. */
export function createStores({ mongo: { db }, cursors }: Pick<Parts, 'mongo' | 'cursors'>) {
  const stores = {
    segments: createSegmentsStore(db, cursors),
    versions: createVersionsStore(db, cursors),
    profiles: createProfilesStore(db),
    activities: createActivitiesStore(db),
    memberships: createMembershipsStore(db),
    sequences: createSequencesStore(db),
    due: createDueStore(db),
    backfills: createBackfillsStore(db),
    countChanges: createCountChangesStore(db),
    growth: createGrowthStore(db),
    names: createNamesStore(db),
    erasures: createErasuresStore(db),
    references: createReferencesStore(db),
    effects: createEffectsStore(db, SegmentMemberChange.reply),
  };
  return {
    ...stores,
    prepare: async () => {
      for (const store of Object.values(stores)) await store.prepare();
    },
  };
}
