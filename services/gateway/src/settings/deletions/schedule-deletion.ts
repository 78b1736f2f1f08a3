import type { Transaction } from '@mp/service-kit/mongo';
import type { AccountRow } from '../accounts/account.ts';
import type { Stores } from '../stores.ts';

type Deps = Pick<Stores, 'accounts' | 'accountDeletions' | 'auditLog'>;

/** Suspends the account and schedules its erasure. A deletion that is scheduled already stays as it is. */
export async function scheduleDeletion(
  tx: Transaction,
  { accounts, accountDeletions, auditLog }: Deps,
  account: AccountRow,
  eraseAt: Date,
) {
  if (await accountDeletions.find(account.id, tx)) return;
  await accountDeletions.add(tx, account.id, { statusBefore: account.status, eraseAt });
  await accounts.update(tx, account.id, { status: 'suspended' });
  const details = { status: 'suspended', erase_at: eraseAt.toISOString() };
  await auditLog.add(tx, { accountId: account.id, id: null }, { action: 'account.changed', target_id: account.id, details });
}

/** Cancels the deletion of an account during its grace period and restores its status. False when it is too late. */
export async function cancelDeletion(
  tx: Transaction,
  { accounts, accountDeletions, auditLog }: Deps,
  account: AccountRow,
): Promise<boolean> {
  const deletion = await accountDeletions.find(account.id, tx);
  if (!deletion || !(await accountDeletions.cancel(tx, account.id))) return false;
  const details = { status: deletion.statusBefore, erase_at: null };
  await accounts.update(tx, account.id, { status: deletion.statusBefore });
  await auditLog.add(tx, { accountId: account.id, id: null }, { action: 'account.changed', target_id: account.id, details });
  return true;
}
