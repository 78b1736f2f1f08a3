import { ApiError } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { AccountsStore } from './accounts-store.ts';

/** A suspended account changes nothing, how its users sign in included; their sessions stay, so that they can read why. */
export async function requireActive(accounts: AccountsStore, accountId: AccountId, tx?: Transaction) {
  const account = await accounts.find(accountId, tx);
  if (account?.status === 'suspended') throw new ApiError('ACCOUNT_SUSPENDED', 'This account is suspended.');
}
