import { noteInLogs } from '@mp/service-kit/log-context';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import { createRunner, type Runner } from '@mp/service-kit/runner';
import type { Deletions } from './delete.ts';
import type { DeletedContactsStore } from './deleted-contacts-store.ts';

const atOnce = 100;
const lookEveryMs = 60_000;

/** Makes deletions final when their contacts can no longer be restored. */
export const createDeletionRunner = ({
  mongo,
  logger,
  deleted,
  deletions,
}: {
  mongo: Mongo;
  logger: Logger;
  deleted: DeletedContactsStore;
  deletions: Deletions;
}): Runner =>
  createRunner({
    logger,
    warning: 'removing contacts that were deleted 30 days ago failed; retrying',
    lookEveryMs,
    backoffMs: { first: 100, max: 5_000 },
    async work(signal) {
      const over = await deleted.over(atOnce);
      for (const { accountId, id } of over) {
        if (signal.aborted) return true;
        noteInLogs({ account_id: accountId });
        await mongo.transaction({ correlationId: id, causationId: null }, (tx) => deletions.finish(tx, accountId, id));
      }
      return over.length === atOnce;
    },
  });
