import type { JournalOf } from '@mp/contracts/journal';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Stores } from '../stores.ts';

/**
 * Suspends an account of a restored backup that was suspended since, or lifts a suspension that was lifted since. A status
 * that was set after the entry stays. Returns how many accounts changed.
 */
export const createRestoreStatus =
  ({ accounts, auditLog }: Pick<Stores, 'accounts' | 'auditLog'>) =>
  async (tx: Transaction, { account_id, status, revision, at }: JournalOf<'account'>): Promise<number> => {
    const account = await accounts.find(account_id, tx);
    if (!account || account.status === status || (account.status_set_at && account.status_set_at > new Date(at))) return 0;
    // Beyond what a service that was not restored may know.
    await accounts.update(tx, account_id, { status }, Math.max(revision - account.revision, 0) + 1);
    const details = { status, by: 'journal of a restored backup', as_of: new Date(at).toISOString() };
    await auditLog.add(tx, { accountId: account_id, id: null }, { action: 'account.changed', target_id: account_id, details });
    return 1;
  };
