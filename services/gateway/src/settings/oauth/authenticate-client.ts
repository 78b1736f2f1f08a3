import { timingSafeEqual } from 'node:crypto';
import { isId } from '@mp/ids';
import { addressOf } from '@mp/service-kit/client-address';
import type { FastifyRequest } from 'fastify';
import type { FailedAuthLimiter } from '../../credentials/failed-auth-limiter.ts';
import { addressSet } from '../../credentials/ip-allow.ts';
import { secretHash } from '../../credentials/secret-hash.ts';
import { isWellFormedSecret } from '../../credentials/token-format.ts';
import type { BurstLimit } from '../../quotas/burst-limit.ts';
import { limitsOf } from '../../quotas/plans.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { AccountsStore } from '../accounts/accounts-store.ts';
import { type ClientSecret, type OauthClientRow, workingSecrets } from './oauth-client.ts';
import type { OauthClientsStore } from './oauth-clients-store.ts';
import { OauthError } from './oauth-error.ts';

export type AuthenticateClientDeps = {
  accounts: AccountsStore;
  oauthClients: OauthClientsStore;
  failedAuths: FailedAuthLimiter;
  burst: BurstLimit;
};

export type Form = ReadonlyMap<string, string>;

/**
 * The parameters of the form. Empty ones count as omitted; duplicates are rejected (RFC 6749 §3.2).
 */
export function formOf(request: FastifyRequest): Form {
  if (!(request.body instanceof URLSearchParams)) throw new OauthError('invalid_request', 'Send application/x-www-form-urlencoded.');
  const form = new Map<string, string>();
  for (const [name, value] of request.body) {
    if (form.has(name)) throw new OauthError('invalid_request', `${name.slice(0, 50)} is given twice.`);
    form.set(name, value);
  }
  return new Map([...form].filter(([, value]) => value !== ''));
}

/**
 * Authenticates the client by HTTP Basic or by the form. An unknown client and a wrong secret return the same error, and
 * both count against the IP address. Correct credentials are accepted from any address, however many failures it has.
 */
export async function authenticateClient(
  request: FastifyRequest,
  form: Form,
  { accounts, oauthClients, failedAuths, burst }: AuthenticateClientDeps,
): Promise<{ client: OauthClientRow; account: AccountRow; secret: ClientSecret }> {
  const address = addressOf(request);
  const shown = shownIn(request.headers.authorization, form);
  // A malformed secret cannot be valid, so it is neither looked up nor counted against the address.
  const isPossible = shown !== undefined && isWellFormedSecret('clientSecret', shown.secret);
  const client = isPossible ? await oauthClients.findByClientId(shown.id) : undefined;
  const secret = shown && client && secretOf(client, shown.secret);
  if (!client || !secret) {
    if (isPossible) countFailure(request, { failedAuths });
    throw new OauthError('invalid_client', 'The client is unknown or revoked, or its secret is wrong.', { status: 401 });
  }
  const account = await accounts.find(client.account_id);
  if (!account || account.status === 'suspended') throw suspended();
  if (client.ip_allow.length > 0 && !addressSet(client.ip_allow)(address)) throw notFrom(address);
  const admission = burst.enter(account.id, limitsOf(account));
  if (!admission.admitted) throw tooMany(admission.reason, 1);
  admission.leave();
  return { client, account, secret };
}

/**
 * Finds a client that cannot keep a secret by its ID alone (RFC 6749 §2.1). Undefined if the request has a secret or the client must
 * send one. Everybody knows the ID, so that only the address is limited, not the account of the client. It ends with its last
 * secret, although it does not send it, and so with the credential that created it.
 */
export async function findPublicClient(
  request: FastifyRequest,
  form: Form,
  { accounts, oauthClients, failedAuths }: AuthenticateClientDeps,
): Promise<OauthClientRow | undefined> {
  const id = form.get('client_id');
  if (id === undefined || form.has('client_secret') || request.headers.authorization !== undefined) return undefined;
  const client = isId('client', id) ? await oauthClients.findByClientId(id) : undefined;
  if (!client || client.confidential || workingSecrets(client, new Date()).length === 0) {
    countFailure(request, { failedAuths });
    return undefined;
  }
  const account = await accounts.find(client.account_id);
  if (account?.status !== 'active') throw suspended();
  if (client.ip_allow.length > 0 && !addressSet(client.ip_allow)(addressOf(request))) throw notFrom(addressOf(request));
  return client;
}

/** Counts a wrong secret, code or refresh token against the address. Throws if there have been too many. */
export function countFailure(request: FastifyRequest, { failedAuths }: Pick<AuthenticateClientDeps, 'failedAuths'>) {
  const wait = failedAuths.waitOf(addressOf(request));
  failedAuths.count(addressOf(request));
  if (wait > 0) throw tooMany('Too many failed authentications from this address.', wait);
}

const suspended = () => new OauthError('unauthorized_client', 'The account of this client is suspended.');
const notFrom = (address: string) => new OauthError('unauthorized_client', `This client may not be used from ${address}.`);

const tooMany = (why: string, retryAfter: number) => new OauthError('temporarily_unavailable', why, { status: 429, retryAfter });

function shownIn(authorization: string | undefined, form: Form): { id: string; secret: string } | undefined {
  const [id, secret] = [form.get('client_id'), form.get('client_secret')];
  if (authorization === undefined) return id !== undefined && secret !== undefined ? { id, secret } : undefined;
  if (secret !== undefined)
    throw new OauthError('invalid_request', 'Authenticate the client either by HTTP Basic or in the form, not both.');
  const basic = /^basic +([A-Za-z0-9+/=]+)$/i.exec(authorization)?.[1];
  const [, user, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(basic ?? '', 'base64').toString('utf8')) ?? [];
  if (user === undefined || password === undefined) return undefined;
  // Both are form-encoded inside Basic (RFC 6749 §2.3.1).
  const [name, word] = [decoded(user), decoded(password)];
  if (id !== undefined && id !== name)
    throw new OauthError('invalid_request', 'client_id differs from the client in the Authorization header.');
  return { id: name, secret: word };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function secretOf(client: OauthClientRow, shown: string): ClientSecret | undefined {
  const given = Buffer.from(secretHash(shown));
  return workingSecrets(client, new Date()).find(({ hash }) => timingSafeEqual(Buffer.from(hash), given));
}
