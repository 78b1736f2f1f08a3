import { nearest } from '@mp/contracts/nearest';
import type { Plan } from '@mp/contracts/plan';
import { type AccountRow, localAccount, newAccount } from '../settings/accounts/account.ts';
import type { AccountChange } from '../settings/accounts/accounts-store.ts';
import { type CommandParts, explain } from './command.ts';

type Wanted = { account?: string | undefined; plan?: Plan | undefined };

/**
 * The account a command works on: the named one, the one for trying out a plan (`local-PLAN`), or `local`. The last two are
 * created if missing. A named one is created only if a plan is given too, so that a typo never creates an account. If the
 * account exists and a plan is given, its plan changes.
 */
export async function findAccount(command: CommandParts, { account: named, plan }: Wanted, remedy?: string): Promise<AccountRow> {
  const { accounts } = command.stores;
  if (named === undefined) {
    const name = plan === undefined ? localAccount.name : `${localAccount.name}-${plan}`;
    return accounts.ensure(newAccount(plan === undefined ? localAccount : { name, plan }));
  }
  if (plan === undefined || named.startsWith('account_')) {
    const found = await existingAccount(command, named, remedy);
    return plan === undefined || plan === found.plan ? found : changeAccount(command, found, { plan });
  }
  const wanted = newAccount({ name: named, plan });
  const account = await accounts.ensure(wanted);
  if (account.id === wanted.id) explain(`Created the account ${account.name} (${account.id}) on ${plan}.`);
  return plan === account.plan ? account : changeAccount(command, account, { plan });
}

/** The account with this ID or name. The error for an unknown one suggests the nearest name and ends with `remedy`. */
export async function existingAccount(
  { stores }: CommandParts,
  named: string,
  remedy = 'create one with `npm run account -- create --name NAME --plan PLAN`',
): Promise<AccountRow> {
  const found = await stores.accounts.findByIdOrName(named);
  if (found) return found;
  const accounts = await stores.accounts.list();
  const known = nearest(
    named,
    accounts.map(({ id, name }) => (named.startsWith('account_') ? id : name)),
  );
  throw new Error(
    `There is no account ${named}.${known === undefined ? '' : ` Did you mean ${known}?`} \`npm run account -- list\` shows all; ${remedy}.`,
  );
}

/** Changes an account, writes the audit entry, and publishes the event that makes gateways reload it. */
export async function changeAccount(
  { parts, stores, origin }: CommandParts,
  account: AccountRow,
  change: AccountChange,
): Promise<AccountRow> {
  // Only Enterprise has its own limits. A downgrade clears them, and a later upgrade does not restore them.
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
