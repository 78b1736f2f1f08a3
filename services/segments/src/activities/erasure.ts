import { pause } from '@mp/service-kit/backoff';
import type { Logger } from '@mp/service-kit/logger';
import type { ProfilesStore } from '../profiles/profiles-store.ts';
import type { ActivitiesStore } from './activities-store.ts';

const lookAgainMs = 5_000;
const atOnce = 100;

type Config = { profiles: ProfilesStore; activities: ActivitiesStore; logger: Logger };

/** Removes what deleted contacts did: outside the deletion, because that may be more than a transaction can hold. */
export function createErasure({ profiles, activities, logger }: Config) {
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();

  async function eraseSome(): Promise<number> {
    const deleted = await profiles.toErase(atOnce);
    for (const { accountId, contactId } of deleted) {
      await activities.removeContact(accountId, contactId);
      await profiles.erased(accountId, contactId);
    }
    return deleted.length;
  }

  async function run() {
    while (!stopping.signal.aborted) {
      const erased = await eraseSome().catch((error: unknown) => {
        logger.warn({ err: error }, 'activities of deleted contacts not removed; trying on');
        return 0;
      });
      if (erased < atOnce) await pause(lookAgainMs, stopping.signal);
    }
  }

  return {
    eraseSome,
    start() {
      running = run();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
