import type { AccountId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Addressed, AddressedBy } from '../contacts/contact-pages.ts';
import type { RefreshStatuses } from './refresh-statuses.ts';
import type { StatusRefreshesStore } from './status-refreshes-store.ts';
import type { NewSuppression } from './suppression.ts';
import type { SuppressionsStore } from './suppressions-store.ts';

type Parts = { suppressions: SuppressionsStore; refreshes: StatusRefreshesStore; refreshStatuses: RefreshStatuses; wake: () => void };

export type Suppress = ReturnType<typeof createSuppress>;

/**
 * Adds and removes suppressions and updates the status of the contacts they affect: for an address immediately, for a domain
 * in the background, because it may have any number of contacts.
 */
export function createSuppress({ suppressions, refreshes, refreshStatuses, wake }: Parts) {
  async function follow(tx: Transaction, accountId: AccountId, kind: AddressedBy, value: Addressed) {
    if (kind === 'email') await refreshStatuses(tx, accountId, { kind, value });
    await refreshes.add(tx, accountId, { kind, value });
    tx.afterCommit(wake);
  }

  return {
    async add(tx: Transaction, accountId: AccountId, suppression: NewSuppression) {
      const added = await suppressions.add(tx, accountId, suppression);
      if (added.isNew) await follow(tx, accountId, suppression.kind, suppression.value);
      return added;
    },

    /**
     * Up to 200, with a result for each. A single refresh follows all addresses, so that a large file does not fill the queue. If
     * the contacts are too large to be written together, the rest of them follow in the background.
     */
    async addAll(tx: Transaction, accountId: AccountId, all: readonly NewSuppression[]) {
      const results = await suppressions.addAll(tx, accountId, all);
      const added = all.filter((_, index) => results[index]?.isNew);
      const emails = added.flatMap(({ kind, value }) => (kind === 'email' ? value : []));
      if (emails.length > 0) await follow(tx, accountId, 'email', emails);
      for (const { kind, value } of added) if (kind === 'domain') await follow(tx, accountId, kind, value);
      return results;
    },

    /** Throws NOT_FOUND. */
    async remove(tx: Transaction, accountId: AccountId, id: string) {
      const { kind, value } = await suppressions.remove(tx, accountId, id);
      // If only the hash is kept, the contact cannot be found by its address, so all suppressed contacts are checked.
      await (value === null ? follow(tx, accountId, 'suppressed', '') : follow(tx, accountId, kind, value));
    },
  };
}
