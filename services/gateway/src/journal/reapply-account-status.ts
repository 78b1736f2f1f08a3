import type { JournalOf } from '@mp/contracts/journal';
import { trustedId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Stores } from '../settings/stores.ts';

/**
 * Repeats a suspension, or the end of one, in a restored backup. A status that was set after the journal entry is kept.
 * Returns how many accounts changed.
 */
export const createReapplyAccountStatus =
  ({ accounts, auditLog }: Pick<Stores, 'accounts' | 'auditLog'>) =>
  async (tx: Transaction, { account_id, status, revision, at }: JournalOf<'account'>): Promise<number> => {
    const accountId = trustedId<'account'>(account_id);
    const account = await accounts.find(accountId, tx);
    if (!account || account.status === status || (account.status_set_at && account.status_set_at > new Date(at))) return 0;
    // A higher revision than any that services which were not restored may know.
    await accounts.update(tx, accountId, { status }, Math.max(revision - account.revision, 0) + 1);
    const details = { status, by: 'journal of a restored backup', as_of: new Date(at).toISOString() };
    await auditLog.add(tx, { accountId, id: null }, { action: 'account.changed', target_id: accountId, details });
    return 1;
  };
