import { ApiError } from '@mp/contracts/errors';
import type { UserId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { UserRow } from '../users/user.ts';
import { type AdmitIdentity, NotAdmitted, SecondFactorDue } from './admit-identity.ts';
import type { Identity } from './identity.ts';
import type { SignInProviders } from './sign-in-providers.ts';

/** An identity that signs in, and is linked if it is not yet, once its user has chosen the account or proven the second factor. */
export type PendingLink = { provider_id: string; identity: Identity };

/** `confirmedBy`: the user who has just proven the second factor. */
type Finished = PendingLink & { confirmedBy?: UserId };

export type FinishLink = ReturnType<typeof createFinishLink>;

/**
 * The user as whom the identity signs in, linked now if need be. All rules are checked again, because minutes have passed. Throws
 * SecondFactorDue.
 */
export function createFinishLink({ signInProviders, admit }: { signInProviders: SignInProviders; admit: AdmitIdentity }) {
  return async (tx: Transaction, { provider_id, identity, confirmedBy }: Finished, user: UserRow, now: Date): Promise<UserRow> => {
    const provider = await signInProviders.findEnabled(provider_id, tx);
    if (!provider) throw noLonger();
    const admitted = await admit(tx, {
      ...{ provider, identity, accountId: user.account_id, invitation: null, now },
      ...(confirmedBy && { confirmedBy }),
    }).catch((error: unknown) => {
      if (error instanceof SecondFactorDue && error.user.id === user.id) throw error;
      throw error instanceof NotAdmitted || error instanceof SecondFactorDue ? noLonger() : error;
    });
    if (admitted.id !== user.id) throw noLonger();
    return admitted;
  };
}

const noLonger = () =>
  new ApiError('FORBIDDEN', 'The identity provider, or the settings of your account, no longer admit this sign-in. Sign in again.');
