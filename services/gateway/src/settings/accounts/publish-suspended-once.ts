import { createOnce } from '@mp/service-kit/once';
import type { Parts } from '@mp/service-kit/service-parts';
import type { AccountsStore } from './accounts-store.ts';

const batchSize = 200;

/** Publishes, once, the accounts that were suspended before services acted on suspensions. */
export const createPublishSuspendedOnce = ({ mongo, logger }: Pick<Parts, 'mongo' | 'logger'>, accounts: AccountsStore) =>
  createOnce({ db: mongo.db, logger }, 'publish suspended accounts', (after) =>
    mongo.transaction({ correlationId: `suspended after ${after ?? 'none'}`, causationId: null }, (tx) =>
      accounts.publishSuspended(tx, after, batchSize),
    ),
  );
