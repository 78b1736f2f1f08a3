import type { AccountId, ContactId } from '@mp/ids';
import type { Activity } from '@mp/rules/activity';
import type { Transaction } from '@mp/service-kit/mongo';
import type { ProfilesStore } from '../profiles/profiles-store.ts';
import type { ActivitiesByContact, ActivitiesStore } from './activities-store.ts';
import type { Reach } from './activity.ts';

export type ReadActivities = ReturnType<typeof createReadActivities>;

type ReachByName = ReadonlyMap<string, Reach>;

/** Reads the activities that count for contacts: their own, and those of the contacts merged into them. */
export function createReadActivities({ profiles, activities }: { profiles: ProfilesStore; activities: ActivitiesStore }) {
  return {
    async readOne(
      accountId: AccountId,
      { contactId, reach, now, tx }: { contactId: ContactId; reach: ReachByName; now: Date; tx?: Transaction | undefined },
    ): Promise<Map<string, Activity[]>> {
      if (reach.size === 0) return new Map();
      const merged = (await profiles.mergedInto(accountId, [contactId], tx)).get(contactId) ?? [];
      return activities.readOne(accountId, { contactIds: [contactId, ...merged], reach, now, tx });
    },

    async read(
      accountId: AccountId,
      { contactIds, reach, now, tx }: { contactIds: readonly ContactId[]; reach: ReachByName; now: Date; tx?: Transaction | undefined },
    ): Promise<ActivitiesByContact> {
      if (reach.size === 0) return new Map();
      const merged = await profiles.mergedInto(accountId, contactIds, tx);
      const single = contactIds.filter((id) => !merged.has(id));
      const found = await activities.read(accountId, { contactIds: single, reach, now, tx });
      for (const [id, others] of merged)
        found.set(id, await activities.readOne(accountId, { contactIds: [id, ...others], reach, now, tx }));
      return found;
    },
  };
}
