import type { GuardedRequest } from '@mp/guarded-requests/guarded-request';
import { LRUCache } from 'lru-cache';
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  customFetch,
  discovery,
} from 'openid-client';
import type { SignInProvider } from './installation-provider.ts';

/** Whether operators allow providers in the internal network, and, outside production, without TLS. */
export type ProviderNetwork = { allowPrivate: boolean; allowHttp: boolean };

/** More than the keys of any provider. */
export const maxProviderBytes = 512 * 1_024;

const keptMs = 10 * 60 * 1_000;

/** The provider could not be reached, or is not an OpenID provider. The message is for users and has no internal addresses. */
export class ProviderUnavailable extends Error {}

type Client = Pick<SignInProvider, 'issuer' | 'client_id'>;

export type Discover = ReturnType<typeof createDiscover>;

/** Reads the settings of OpenID providers. All requests to them, including those of later steps, are guarded. */
export function createDiscover(send: GuardedRequest, { allowHttp }: ProviderNetwork) {
  const kept = new LRUCache<string, Promise<Configuration>>({ max: 1_000, ttl: keptMs });

  const guardedFetch: CustomFetch = async (url, { method, headers, body, signal }) => {
    const text = body instanceof URLSearchParams ? body.toString() : typeof body === 'string' ? body : null;
    const outgoing = { url, method, headers: { ...headers, 'user-agent': 'MarketingPlatform-SignIn/1' }, body: text };
    const exchange = await send(outgoing, signal ?? new AbortController().signal);
    if (exchange.type !== 'response')
      throw new ProviderUnavailable(
        exchange.type === 'refused' ? exchange.problem : `no response from ${new URL(url).host}: ${exchange.reason}`,
      );
    const { status, said, contentType } = exchange;
    return new Response(said === '' ? null : said, { status, headers: { 'content-type': contentType ?? '' } });
  };

  async function load({ issuer, client_id }: Client, secret: string): Promise<Configuration> {
    const url = new URL(issuer);
    if (url.protocol !== 'https:' && !allowHttp) throw new ProviderUnavailable('the issuer must be an https:// URL');
    try {
      const config = await discovery(url, client_id, undefined, authenticatedBy(secret), {
        [customFetch]: guardedFetch,
        ...(allowHttp && { execute: [allowInsecureRequests] }),
      });
      const protocol = URL.parse(config.serverMetadata().authorization_endpoint ?? '')?.protocol;
      if (protocol !== 'https:' && !(allowHttp && protocol === 'http:'))
        throw new ProviderUnavailable('the provider has no authorization_endpoint with https://');
      return config;
    } catch (error) {
      throw unavailable(error);
    }
  }

  return {
    /** The settings of the provider, for ten minutes the same. Throws ProviderUnavailable. */
    async configuration({ id, updated_at, ...client }: SignInProvider, secret: string): Promise<Configuration> {
      const key = `${id} ${updated_at.getTime()}`;
      const found = kept.get(key) ?? load(client, secret);
      kept.set(key, found, { ttl: kept.getRemainingTTL(key) || keptMs });
      found.catch(() => kept.delete(key));
      return found;
    },

    /** Throws ProviderUnavailable unless the provider can be used. */
    check: (client: Client) => load(client, '').then(() => undefined),
  };
}

/** By HTTP Basic, the default of OpenID Connect, unless the provider supports only the form. */
const authenticatedBy =
  (secret: string): ClientAuth =>
  (server, ...rest) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    const authenticate = methods.includes('client_secret_basic') ? ClientSecretBasic(secret) : ClientSecretPost(secret);
    authenticate(server, ...rest);
  };

/** openid-client wraps what a request throws. */
function unavailable(error: unknown): ProviderUnavailable {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof ProviderUnavailable) return cause;
  return new ProviderUnavailable(error instanceof Error ? error.message : 'the discovery failed', { cause: error });
}
