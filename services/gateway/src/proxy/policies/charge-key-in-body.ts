import { ApiError } from '@mp/contracts/errors';
import { KeyCharged } from '@mp/contracts/requests/gateway';
import type { Broker } from '@mp/service-kit/broker';
import type { Credential } from '../../credentials/credential.ts';
import type { CredentialCache } from '../../credentials/credential-cache.ts';
import { countFailedAuth, type FailedAuthLimiter } from '../../credentials/failed-auth-limiter.ts';
import type { LastUsed } from '../../credentials/last-used.ts';
import { hasExpired } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { type ChargeParts, chargeTogether, headersOf, refusalOf } from './charge-together.ts';
import { checkAddress } from './check-address.ts';

type Deps = ChargeParts & {
  broker: Pick<Broker, 'reply'>;
  keys: CredentialCache;
  failedAuths: FailedAuthLimiter;
  lastUsed: Pick<LastUsed, 'note'>;
  now: () => number;
};

const refusals = ['UNAUTHORIZED', 'FORBIDDEN', 'IP_NOT_ALLOWED', 'ACCOUNT_SUSPENDED', 'RATE_LIMITED', 'QUOTA_EXCEEDED'] as const;

/**
 * Verifies and charges an API key that a service received in its body, where the gateway does not look: Segment libraries send it
 * there. The checks are those of a request with the key.
 */
export function replyToKeyCharged({ broker, keys, failedAuths, lastUsed, now, ...parts }: Deps) {
  async function find(hash: string, address: string, at: number): Promise<Credential> {
    const credential = await keys.find(hash, { isSuspect: failedAuths.waitOf(address) > 0 });
    if (credential && !hasExpired(credential, at)) return credential;
    countFailedAuth(address, failedAuths);
    throw new ApiError('UNAUTHORIZED', 'The API key is invalid: unknown, revoked or expired.');
  }

  return () =>
    broker.reply(KeyCharged, async ({ key_hash, address, scope, requests }) => {
      const limited = { headers: {}, at: now() };
      const route = { path: '/v1/batch', scope } as const;
      let credential: Credential | undefined;
      const refused = await refusalOf(refusals, async () => {
        const found = await find(key_hash, address, limited.at);
        lastUsed.note(found.id, limited.at);
        checkAddress({ address }, found, failedAuths);
        authorize({ method: 'POST', headers: {} }, found, route);
        credential = found;
        await chargeTogether(limited, { credential: found, route, requests }, parts);
      });
      return { headers: headersOf(limited), key: credential ? keyOf(credential) : null, refused };
    });
}

const keyOf = ({ id, account, permission, scopes }: Credential) => ({
  ...{ id, permission },
  account_id: account.id,
  scopes: scopes && [...scopes],
});
