import { type AccountRow, localAccount, newAccount } from '../accounts/account.ts';
import type { AccountChange } from '../accounts/accounts-store.ts';
import type { Plan } from '../accounts/plans.ts';
import type { CommandParts } from './command.ts';
import { explain } from './command.ts';

type Wanted = { account?: string | undefined; plan?: Plan | undefined };

/**
 * The account a command is for, made when it is missing: the one named, or the one for trying out a plan, or the local
 * one. A plan beside a named account becomes its plan at once.
 */
export async function findAccount(command: CommandParts, { account: named, plan }: Wanted): Promise<AccountRow> {
  const { accounts } = command.stores;
  if (named === undefined) {
    const name = plan === undefined ? localAccount.name : `${localAccount.name}-${plan}`;
    return accounts.ensure(newAccount(plan === undefined ? localAccount : { name, plan }));
  }
  const found = await accounts.findByIdOrName(named);
  if (!found) {
    if (named.startsWith('account_')) throw new Error(`There is no account ${named}; \`npm run account -- list\` shows them.`);
    const made = await accounts.ensure(newAccount({ name: named, plan: plan ?? localAccount.plan }));
    explain(`Made the account ${made.name} (${made.id}) on ${made.plan}.`);
    return made;
  }
  return plan === undefined || plan === found.plan ? found : changeAccount(command, found, { plan });
}

/** Changes an account, with its audit entry and the event that makes gateways read it anew. */
export async function changeAccount(
  { parts, stores, origin }: CommandParts,
  account: AccountRow,
  change: AccountChange,
): Promise<AccountRow> {
  // Figures of its own belong to Enterprise; they do not come back with a later upgrade.
  const own = (change.plan ?? account.plan) === 'enterprise';
  const full = {
    ...change,
    daily_requests: own ? (change.daily_requests ?? account.daily_requests) : null,
    requests_per_second: own ? (change.requests_per_second ?? account.requests_per_second) : null,
  };
  await parts.mongo.transaction(origin, async (tx) => {
    await stores.accounts.update(tx, account.id, full);
    await stores.auditLog.add(
      tx,
      { accountId: account.id, id: null },
      {
        action: 'account.changed',
        target_id: account.id,
        details: full,
      },
    );
  });
  return { ...account, ...full };
}
