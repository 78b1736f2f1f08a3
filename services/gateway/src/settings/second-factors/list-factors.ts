import type { Server } from '@mp/service-kit/create-server';
import { requiresSecondFactor } from '../accounts/account.ts';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import { type SignedInDeps, signedIn } from '../users/signed-in.ts';
import type { FactorDocument, FactorsStore } from './factors-store.ts';
import type { RecoveryCodesStore } from './recovery-codes-store.ts';

type Deps = SignedInDeps & { accounts: AccountsStore; factors: FactorsStore; recoveryCodes: RecoveryCodesStore };

export const factorView = ({ _id, kind, name, created_at, last_used_at }: FactorDocument) => ({
  ...{ id: _id, kind, name, created_at: created_at.toISOString() },
  last_used_at: last_used_at?.toISOString() ?? null,
});

/** The second factors of the signed-in user. */
export function listFactors(app: Server, deps: Deps) {
  const { accounts, factors, recoveryCodes } = deps;
  app.get('/auth/second-factors', { schema: { hide: true } }, async (request) => {
    const { user } = await signedIn(request, deps, { isEnrolling: true });
    const account = await accounts.find(user.account_id);
    const items = (await factors.list(user)).map(factorView);
    const recovery_codes_left = await recoveryCodes.count(user);
    return { success: true, data: { items, recovery_codes_left, required: account !== undefined && requiresSecondFactor(account, user) } };
  });
}
