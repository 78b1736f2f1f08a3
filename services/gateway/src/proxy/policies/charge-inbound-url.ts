import { RequestCharged } from '@mp/contracts/requests/gateway';
import { type AccountId, trustedId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { DecidingAccount } from '../../credentials/credential.ts';
import { type ChargeParts, chargeTogether, headersOf, refusalOf } from './charge-together.ts';

type Deps = ChargeParts & {
  broker: Pick<Broker, 'reply'>;
  findAccount: (id: AccountId) => Promise<DecidingAccount | undefined>;
  now: () => number;
};

const limits = ['RATE_LIMITED', 'QUOTA_EXCEEDED'] as const;

/**
 * Charges the requests to inbound URLs of workflows like those with a key. Only workflows can verify such a URL, so it asks for each
 * request that it is about to accept.
 */
export function replyToRequestCharged({ broker, findAccount, now, ...parts }: Deps) {
  return () =>
    broker.reply(RequestCharged, async ({ account_id, url_of: id }) => {
      const account = await findAccount(trustedId<'account'>(account_id));
      if (!account) return { headers: {}, refused: null };
      const limited = { headers: {}, at: now() };
      const route = { path: '/t/hooks/{token}', scope: 'workflows:write' } as const;
      const refused = await refusalOf(limits, () => chargeTogether(limited, { credential: { id, account }, route, requests: 1 }, parts));
      return { headers: headersOf(limited), refused };
    });
}
