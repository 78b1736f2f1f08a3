import type { AccountId } from '@mp/ids';
import type { Db } from 'mongodb';
import { everythingChanged } from './changes.ts';
import type { Logger } from './logger.ts';
import { prepareCollection } from './mongo.ts';
import { type Background, createRunner } from './runner.ts';

/**
 * A service's part of the erasure of an account. It stays when everything else of the account is gone: as the receipt, and so that
 * nothing that arrives late is written for the account again.
 */
export type AccountErasureDocument = {
  _id: AccountId;
  asked_at: Date;
  /** When to continue; null when there is nothing left to do. */
  due_at: Date | null;
  /** Documents removed so far, by collection. */
  removed: Record<string, number>;
  confirmed_at: Date | null;
};

export type ErasedAccounts = Background & {
  prepare: () => Promise<void>;
  has: (accountId: AccountId) => boolean;
  all: () => readonly AccountId[];
};

export const accountErasuresOf = (db: Db) => db.collection<AccountErasureDocument>('account_erasures');

/**
 * The erased accounts, from the point of view of this service. One replica is asked to erase an account; the others read that within
 * a second. Consumers skip the events of these accounts, and workers treat them as suspended.
 */
export function createErasedAccounts(db: Db, logger: Logger): ErasedAccounts {
  const erasures = accountErasuresOf(db);
  let erased: ReadonlySet<AccountId> = new Set();

  async function look() {
    const found = await erasures.find({}, { projection: { _id: 1 } }).toArray();
    const before = erased.size;
    erased = new Set(found.map(({ _id }) => _id));
    if (erased.size !== before) everythingChanged(db.databaseName);
    return false;
  }

  const runner = createRunner({ logger, warning: 'cannot read the erased accounts; retrying', work: look });

  return {
    async prepare() {
      const due = { partialFilterExpression: { due_at: { $type: 'date' } } };
      await prepareCollection(erasures, [{ key: { due_at: 1 }, name: 'queue', ...due }], db);
      await look();
    },

    has: (accountId) => erased.has(accountId),
    all: () => [...erased],

    start: runner.start,
    stop: runner.stop,
  };
}
