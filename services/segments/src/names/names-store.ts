import type { AccountId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

/** Names that rules refer to and that callers choose. */
export type NameKind = 'event' | 'attribute';

type NameDocument = { _id: string; account_id: AccountId; kind: NameKind; name: string };

export type NamesStore = ReturnType<typeof createNamesStore>;

const maxCached = 100_000;
const maxListed = 10_000;

const idOf = (accountId: AccountId, kind: NameKind, name: string) => `${accountId} ${kind} ${name}`;

/**
 * Owns the `names` collection: the names of events that an account has tracked, and of attributes that its contacts have had.
 * They are never removed. Known ones are cached, so that only a new name costs a write.
 */
export function createNamesStore(db: Db) {
  const stored = db.collection<NameDocument>('names');
  const cached = new Set<string>();

  function keep(ids: readonly string[]) {
    for (const id of ids) cached.add(id);
    for (const id of cached) {
      if (cached.size <= maxCached) return;
      cached.delete(id);
    }
  }

  return {
    prepare: () => prepareCollection(stored, [{ name: 'kind', key: { account_id: 1, kind: 1, name: 1 } }], db),

    async learn(tx: Transaction, accountId: AccountId, kind: NameKind, names: readonly string[]) {
      const fresh = names.filter((name) => !cached.has(idOf(accountId, kind, name)));
      if (fresh.length === 0) return;
      await stored.bulkWrite(
        fresh.map((name) => ({
          updateOne: {
            filter: { _id: idOf(accountId, kind, name), account_id: accountId },
            update: { $setOnInsert: { kind, name } },
            upsert: true,
          },
        })),
        { session: tx.session },
      );
      tx.afterCommit(() => keep(fresh.map((name) => idOf(accountId, kind, name))));
    },

    /** Which of these names the account does not have. */
    async unknown(accountId: AccountId, kind: NameKind, names: readonly string[]): Promise<Set<string>> {
      if (names.length === 0) return new Set();
      const found = await stored.find({ account_id: accountId, kind, name: { $in: [...names] } }).toArray();
      const known = new Set(found.map(({ name }) => name));
      return new Set(names.filter((name) => !known.has(name)));
    },

    /** The names of the account, up to a limit. */
    async list(accountId: AccountId, kind: NameKind): Promise<string[]> {
      const found = await stored.find({ account_id: accountId, kind }).sort({ name: 1 }).limit(maxListed).toArray();
      return found.map(({ name }) => name);
    },
  };
}
