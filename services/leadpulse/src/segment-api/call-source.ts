import { createHash } from 'node:crypto';
import { ApiError } from '@mp/contracts/errors';
import { refusal } from '@mp/contracts/permissions';
import { KeyCharged } from '@mp/contracts/requests/gateway';
import { type AccountId, trustedId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import { addressOf } from '@mp/service-kit/client-address';
import { isUnavailable } from '@mp/service-kit/mongo';
import { createTokenBuckets } from '@mp/service-kit/token-buckets';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AdmitPageRequest, clientOf, perAddress } from '../ingest/admit-page-request.ts';
import type { StoredSite } from '../sites/site.ts';

/** Who sends a call: a server with a secret key, or a page of a site with its publishable key. */
export type CallSource = { accountId: AccountId } & (
  | { kind: 'api_key'; id: string; writesContacts: boolean; refused: ApiError | undefined }
  | { kind: 'site'; id: string; site: StoredSite }
);

type Deps = { admitPageRequest: AdmitPageRequest; broker: Pick<Broker, 'request' | 'ready'> };

const secretKey = /^mp_live_[0-9A-Za-z]{49}$/;
const replyMs = 5_000;

/**
 * Finds who sends some calls, and charges them if a secret key does. The gateway verifies secret keys, by their hash. A browser never
 * may send one: its pages would show it to every visitor. Only wrong keys count in the limit of an address; right ones have that of
 * their plan.
 */
export function createCallSource({ admitPageRequest, broker }: Deps) {
  const wrongKeys = createTokenBuckets(perAddress);

  async function bySecret(request: FastifyRequest, reply: FastifyReply, secret: string, calls: number): Promise<CallSource> {
    if (request.headers.origin !== undefined)
      throw new ApiError(
        'FORBIDDEN',
        'This is a secret key; pages use the publishable key of a site. Revoke the key if a page contains it.',
      );
    const from = clientOf(request);
    const wait = wrongKeys.take(from, 1);
    if (wait > 0) throw new ApiError('RATE_LIMITED', 'Too many requests from this address; retry later.', { retryAfter: wait });
    const key_hash = createHash('sha256').update(secret).digest('base64url');
    const { headers, key, refused } = await charge({ key_hash, address: addressOf(request), scope: 'leadpulse:write', requests: calls });
    if (refused?.code !== 'UNAUTHORIZED') wrongKeys.giveBack(from, 1);
    reply.headers(headers);
    const error = refused ? new ApiError(refused.code, refused.message, { retryAfter: refused.retry_after }) : undefined;
    if (!key) throw error ?? new ApiError('UNAUTHORIZED', 'The API key is invalid.');
    const writesContacts = refusal(key, 'POST', 'contacts:write') === undefined;
    return { kind: 'api_key', accountId: trustedId<'account'>(key.account_id), id: key.id, writesContacts, refused: error };
  }

  /** Without the gateway's reply no key is verified, so the call fails and is sent again. */
  async function charge(request: { key_hash: string; address: string; scope: 'leadpulse:write'; requests: number }) {
    const unavailable = () => new ApiError('SERVICE_UNAVAILABLE', 'Keys cannot be verified at the moment; try again.', { retryAfter: 2 });
    if (!broker.ready()) throw unavailable();
    return broker.request(KeyCharged, request, replyMs).catch((error: unknown) => {
      throw isUnavailable(error) ? unavailable() : error;
    });
  }

  return async function sourceOf(request: FastifyRequest, reply: FastifyReply, key: string, calls: number): Promise<CallSource> {
    if (secretKey.test(key)) return bySecret(request, reply, key, Math.max(1, calls));
    const site = await admitPageRequest(request, reply, key);
    return { kind: 'site', accountId: site.account_id, id: site.id, site };
  };
}

/** The user name of Basic authentication, which Segment's libraries send; otherwise the key in the body. */
export function keyIn({ authorization = '' }: { authorization?: string | undefined }, ...bodies: readonly unknown[]): string {
  const [, encoded = ''] = /^basic +([A-Za-z0-9+/=_-]+)$/i.exec(authorization) ?? [];
  const [user = ''] = Buffer.from(encoded, 'base64').toString().split(':');
  return user || (bodies.find((key): key is string => typeof key === 'string') ?? '').slice(0, 200);
}
