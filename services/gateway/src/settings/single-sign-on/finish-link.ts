import { ApiError } from '@mp/contracts/errors';
import type { Transaction } from '@mp/service-kit/mongo';
import type { UserRow } from '../users/user.ts';
import { type AdmitIdentity, NotAdmitted, SecondFactorDue } from './admit-identity.ts';
import type { Identity } from './identity.ts';
import type { SignInProviders } from './sign-in-providers.ts';

/** An identity that is linked once its user has proven the second factor. */
export type PendingLink = { provider_id: string; identity: Identity };

export type FinishLink = ReturnType<typeof createFinishLink>;

/** Links the identity of a user who has just proven the second factor. All rules are checked again, because minutes have passed. */
export function createFinishLink({ signInProviders, admit }: { signInProviders: SignInProviders; admit: AdmitIdentity }) {
  return async (tx: Transaction, { provider_id, identity }: PendingLink, user: UserRow, now: Date): Promise<UserRow> => {
    const provider = await signInProviders.findEnabled(provider_id, tx);
    if (!provider) throw noLonger();
    const admitted = await admit(tx, {
      ...{ provider, identity, accountId: user.account_id, invitation: null, confirmedBy: user.id, now },
    }).catch((error: unknown) => {
      throw error instanceof NotAdmitted || error instanceof SecondFactorDue ? noLonger() : error;
    });
    if (admitted.id !== user.id) throw noLonger();
    return admitted;
  };
}

const noLonger = () =>
  new ApiError('FORBIDDEN', 'The identity provider, or the settings of your account, no longer admit this sign-in. Sign in again.');
