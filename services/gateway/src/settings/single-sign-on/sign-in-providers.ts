import type { AccountId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { IdentityProvidersStore } from './identity-providers-store.ts';
import type { InstallationProvider, SignInProvider } from './installation-provider.ts';

export type SignInProviders = ReturnType<typeof createSignInProviders>;

/** The providers with which users sign in: those of accounts, and those of the whole installation. */
export function createSignInProviders(
  ofAccounts: Pick<IdentityProvidersStore, 'findEnabled' | 'enabledOf' | 'secretOf'>,
  ofInstallation: readonly InstallationProvider[],
) {
  return {
    ofInstallation,

    enabledOf: (accountIds: readonly AccountId[]) => ofAccounts.enabledOf(accountIds),

    findEnabled: async (id: string, tx?: Transaction): Promise<SignInProvider | undefined> =>
      ofInstallation.find((provider) => provider.id === id) ?? ofAccounts.findEnabled(id, tx),

    /** The client secret; undefined if it can no longer be read. */
    secretOf: async (provider: SignInProvider): Promise<string | undefined> =>
      provider.account_id === null ? provider.client_secret : ofAccounts.secretOf(provider),
  };
}
