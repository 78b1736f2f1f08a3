import { ApiError } from '@mp/contracts/errors';
import { RequestCharged } from '@mp/contracts/requests/gateway';
import { type AccountId, trustedId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { z } from 'zod';
import type { DecidingAccount } from '../../credentials/credential.ts';
import { chargeQuota, type QuotaParts } from './charge-quota.ts';
import { type BurstParts, type Limited, takeBurst } from './rate-limit.ts';

type Deps = BurstParts &
  QuotaParts & {
    broker: Pick<Broker, 'reply'>;
    findAccount: (id: AccountId) => Promise<DecidingAccount | undefined>;
    now: () => number;
  };

type Charge = z.input<typeof RequestCharged.reply>;

/**
 * Charges the requests to inbound URLs of workflows like those with a key. Only workflows can verify such a URL, so it asks for each
 * request that it is about to accept.
 */
export function replyToRequestCharged({ broker, findAccount, now, ...limits }: Deps) {
  async function charge(accountId: AccountId, urlOf: string): Promise<Charge> {
    const account = await findAccount(accountId);
    if (!account) return { headers: {}, refused: null };
    const limited: Limited = { headers: {}, at: now() };
    try {
      const { remaining, leave } = takeBurst(limited, account, limits);
      leave();
      const credential = { id: urlOf, account };
      await chargeQuota(limited, { credential, route: { path: '/t/hooks/{token}', scope: 'workflows:write' }, remaining }, limits);
      return { headers: headersOf(limited), refused: null };
    } catch (error) {
      if (!(error instanceof ApiError) || (error.code !== 'RATE_LIMITED' && error.code !== 'QUOTA_EXCEEDED')) throw error;
      const { code, message, retryAfter: retry_after = 1, details = [] } = error;
      return { headers: headersOf(limited), refused: { code, message, retry_after, details: [...details] } };
    }
  }

  return () => broker.reply(RequestCharged, ({ account_id, url_of }) => charge(trustedId<'account'>(account_id), url_of));
}

const headersOf = ({ headers }: Limited) => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
