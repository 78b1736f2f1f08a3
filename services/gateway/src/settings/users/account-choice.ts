import type { AccountId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import { accountView } from '../accounts/account.ts';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import { BuiltInRole, builtInView } from '../roles/role.ts';
import type { RolesStore } from '../roles/roles-store.ts';
import type { UserRow } from './user.ts';

/** An account as a person sees it who is a user of several: with the name of their role there. */
export type AccountToChoose = { id: AccountId; name: string; role: string };

type Deps = { accounts: AccountsStore; roles: RolesStore };

/** The accounts of these users, that of the last sign-in first. */
export async function accountsToChoose(users: readonly UserRow[], { accounts, roles }: Deps, tx?: Transaction): Promise<AccountToChoose[]> {
  const at = (user: UserRow) => user.last_signed_in_at?.getTime() ?? 0;
  const found: AccountToChoose[] = [];
  for (const { account_id, role } of users.toSorted((a, b) => at(b) - at(a))) {
    const account = await accounts.find(account_id, tx);
    const builtIn = BuiltInRole.safeParse(role);
    const { name } = builtIn.success ? builtInView(builtIn.data) : ((await roles.find(account_id, role, tx)) ?? { name: '' });
    if (account) found.push({ id: account.id, name: accountView(account).name, role: name });
  }
  return found;
}
