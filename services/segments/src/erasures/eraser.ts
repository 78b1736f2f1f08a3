import { SegmentsContactErased } from '@mp/contracts/events/segments';
import { pause } from '@mp/service-kit/backoff';
import type { AskedErasure, ErasuresStore } from '@mp/service-kit/erasures-store';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { ActivitiesStore } from '../activities/activities-store.ts';
import type { MembershipsStore } from '../memberships/memberships-store.ts';
import type { ProfilesStore } from '../profiles/profiles-store.ts';

const lookAgainMs = 5_000;
const atOnce = 100;

type Config = {
  mongo: Mongo;
  outbox: Outbox;
  profiles: ProfilesStore;
  activities: ActivitiesStore;
  memberships: MembershipsStore;
  erasures: ErasuresStore;
  logger: Logger;
};

/** Removes what deleted and erased contacts left behind: outside the deletion, because that may be more than a transaction can hold. */
export function createEraser({ mongo, outbox, profiles, activities, memberships, erasures, logger }: Config) {
  const stopping = new AbortController();
  let nap = new AbortController();
  let running: Promise<void> = Promise.resolve();

  async function erase(accountId: string, contactId: string) {
    await profiles.erased(accountId, contactId, await activities.removeContact(accountId, contactId));
  }

  async function eraseSome(): Promise<number> {
    const deleted = await profiles.toErase(atOnce);
    for (const { accountId, contactId } of deleted) await erase(accountId, contactId);
    return deleted.length;
  }

  /** Whoever is erased has no history either; confirmed only once all of it is gone. A crash before that does it again. */
  async function confirm({ id, accountId, contactId, contactIds, correlationId }: AskedErasure) {
    for (const one of contactIds) await erase(accountId, one);
    const removed = {
      profiles: contactIds.length,
      activities: await profiles.removedOf(accountId, contactIds),
      memberships: await memberships.erase(accountId, contactIds),
    };
    await mongo.transaction({ correlationId, causationId: null }, async (tx) => {
      const receipt = { erasure_id: id, contact_id: contactId, removed, at: new Date().toISOString() };
      await outbox.add(tx, SegmentsContactErased, accountId, receipt);
      await erasures.confirmed(tx, id);
    });
  }

  /** One that cannot be confirmed now holds up none of the others. Returns how many were. */
  async function confirmSome(): Promise<number> {
    let confirmed = 0;
    for (const asked of await erasures.open(atOnce)) {
      await confirm(asked).then(
        () => {
          confirmed += 1;
        },
        (err: unknown) => logger.warn({ err, erasure: asked.id }, 'an erasure is not confirmed; trying on'),
      );
    }
    return confirmed;
  }

  async function run() {
    while (!stopping.signal.aborted) {
      nap = new AbortController();
      const erased = await Promise.all([eraseSome(), confirmSome()]).catch((error: unknown) => {
        logger.warn({ err: error }, 'what deleted contacts left behind is not removed; trying on');
        return [0];
      });
      if (!erased.includes(atOnce)) await pause(lookAgainMs, AbortSignal.any([nap.signal, stopping.signal]));
    }
  }

  return {
    eraseSome,
    /** There is something to erase now: do not wait for the next look. */
    wake: () => nap.abort(),
    start() {
      running = run();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
