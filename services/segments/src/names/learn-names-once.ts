import { trustedId } from '@mp/ids';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import { createOnce } from '@mp/service-kit/once';
import type { ActivitiesStore } from '../activities/activities-store.ts';
import { isKnown } from '../profiles/profile.ts';
import type { ProfilesStore } from '../profiles/profiles-store.ts';
import type { NamesStore } from './names-store.ts';

type Parts = { mongo: Mongo; logger: Logger; profiles: ProfilesStore; activities: ActivitiesStore; names: NamesStore };

const atOnce = 200;

/** Stores the names that contacts and their activities had before names were stored. */
export function createLearnNamesOnce({ mongo, logger, profiles, activities, names }: Parts) {
  return createOnce({ db: mongo.db, logger }, 'learn names', async (after) => {
    const page = await profiles.pageOfAll(after === null ? null : trustedId<'contact'>(after), atOnce);
    for (const [accountId, own] of Map.groupBy(page, (row) => row.accountId)) {
      const keys = own.flatMap(({ profile }) => (isKnown(profile) ? Object.keys(profile.contact.attributes) : []));
      const ids = own.map(({ profile }) => profile.id);
      const events = await activities.namesOf(accountId, ids);
      await mongo.transaction({ correlationId: ids[0] ?? accountId, causationId: null }, async (tx) => {
        await names.learn(tx, accountId, 'attribute', [...new Set(keys)]);
        await names.learn(tx, accountId, 'event', events);
      });
    }
    return page.length < atOnce ? null : (page.at(-1)?.profile.id ?? null);
  });
}
