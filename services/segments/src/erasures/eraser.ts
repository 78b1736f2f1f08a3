import { SegmentsContactErased } from '@mp/contracts/events/segments';
import { createConfirmErasures } from '@mp/erasures/confirm-erasures';
import type { ErasuresStore, RequestedErasure } from '@mp/erasures/erasures-store';
import type { AccountId, ContactId } from '@mp/ids';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import { createRunner } from '@mp/service-kit/runner';
import type { ActivitiesStore } from '../activities/activities-store.ts';
import type { MembershipsStore } from '../memberships/memberships-store.ts';
import type { ProfilesStore } from '../profiles/profiles-store.ts';

const lookAgainMs = 5_000;
const atOnce = 100;
const maxActivitiesAtOnce = 1_000;

type Config = {
  mongo: Mongo;
  outbox: Outbox;
  profiles: ProfilesStore;
  activities: ActivitiesStore;
  memberships: MembershipsStore;
  erasures: ErasuresStore;
  logger: Logger;
};

/** Removes the data of deleted and erased contacts in the background, because it may be more than a transaction can hold. */
export function createEraser({ mongo, outbox, profiles, activities, memberships, erasures, logger }: Config) {
  /** The count is stored with each removal, because both runners, and those of other replicas, may erase the same contact. */
  async function erase(accountId: AccountId, contactId: ContactId) {
    for (;;) {
      const removed = await mongo.transaction({ correlationId: contactId, causationId: null }, async (tx) => {
        const count = await activities.removeSome(tx, accountId, contactId, maxActivitiesAtOnce);
        await profiles.erased(tx, accountId, contactId, { removed: count, isDone: count < maxActivitiesAtOnce });
        return count;
      });
      if (removed < maxActivitiesAtOnce) return;
    }
  }

  async function eraseSome(): Promise<number> {
    const deleted = await profiles.toErase(atOnce);
    for (const { accountId, contactId } of deleted) await erase(accountId, contactId);
    return deleted.length;
  }

  /** Removes the membership history too, and confirms the erasure only then. After a crash before that, it runs again. */
  async function confirm({ id, accountId, contactId, contactIds, correlationId }: RequestedErasure) {
    for (const one of contactIds) await erase(accountId, one);
    const activityCount = await profiles.removedOf(accountId, contactIds);
    await erasures.removed(id, { memberships: await memberships.erase(accountId, contactIds) });
    await mongo.transaction({ correlationId, causationId: null }, async (tx) => {
      const counted = await erasures.confirmed(tx, id);
      if (!counted) return;
      const removed = { profiles: contactIds.length, activities: activityCount, ...counted };
      const receipt = { erasure_id: id, contact_id: contactId, removed, at: new Date().toISOString() };
      await outbox.add(tx, SegmentsContactErased, accountId, receipt);
    });
    return true;
  }

  const confirmSome = createConfirmErasures({ erasures, logger, confirm });

  // Separate runners, so that a failure of one does not block the other.
  const runners = [async () => (await eraseSome()) === atOnce, confirmSome].map((work) =>
    createRunner({
      logger,
      warning: 'removing the data of deleted contacts failed; retrying',
      backoffMs: { first: 200, max: 5_000 },
      lookEveryMs: lookAgainMs,
      work,
    }),
  );

  return {
    eraseSome,
    /** Starts work immediately instead of at the next check. */
    wake() {
      for (const runner of runners) runner.wake();
    },
    start() {
      for (const runner of runners) runner.start();
    },
    async stop() {
      await Promise.all(runners.map((runner) => runner.stop()));
    },
  };
}
