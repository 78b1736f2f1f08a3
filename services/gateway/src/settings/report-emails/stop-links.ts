import type { Keyring } from '@mp/contracts/keyring';
import { type AccountId, trustedId, type UserId } from '@mp/ids';
import { seal, unseal } from '@mp/service-kit/seal';

type Receiver = { account_id: AccountId; report_id: string; user_id: UserId };

const purpose = 'stop report email';

export type StopLinks = ReturnType<typeof createStopLinks>;

/** The links with which a user stops a report without signing in. */
export function createStopLinks(keyring: Keyring, publicUrl: string) {
  return {
    /** The token is in the hash, so that it is in no log. */
    urlOf: ({ account_id, report_id, user_id }: Receiver) =>
      `${publicUrl}/stop-report#token=${seal(keyring, purpose, [account_id, report_id, user_id].join(' '), '')}`,

    /** Undefined for a token that we did not make. */
    receiverOf(token: string): Receiver | undefined {
      const [accountId = '', report_id = '', user_id = ''] = unseal(keyring, purpose, token, '')?.split(' ') ?? [];
      return user_id === '' ? undefined : { account_id: trustedId<'account'>(accountId), report_id, user_id: trustedId<'user'>(user_id) };
    },
  };
}
