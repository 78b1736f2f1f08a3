import { MarketingPlatform } from '@marketing-platform/sdk';
import { currentProfile, type Profile } from './profiles.ts';
import { NotLoggedInError } from './usage-error.ts';

/** The next token must be valid long enough for a request that cannot be repeated, such as an upload. */
const marginMs = 5 * 60_000;

/** How a profile gets its first access token, and the one after another; undefined without an OAuth client. */
function tokensFor({ url, client_id, client_secret, name = '', ...profile }: Profile & { name?: string }, send: typeof fetch) {
  const { refresh_token, access_token = '', access_until = 0 } = profile;
  if (refresh_token !== undefined) {
    const next = async (used: string) => (await import('./next-token.ts')).nextToken(name, used);
    return { next, first: () => (access_until - marginMs > Date.now() ? Promise.resolve(access_token) : next(access_token)) };
  }
  if (client_id === undefined || client_secret === undefined) return undefined;
  const anonymous = new MarketingPlatform({ apiKey: 'none', baseUrl: url, fetch: send });
  const first = async () =>
    (await anonymous.oauth.createToken({ grant_type: 'client_credentials', client_id, client_secret })).access_token;
  return { first, next: first };
}

/**
 * The SDK with the credentials of a profile. An OAuth client gets a token for each command, a login by browser keeps its own; both get
 * another one whenever it expires.
 */
export async function connectTo(profile: Profile & { name?: string }, send: typeof fetch = fetch): Promise<MarketingPlatform> {
  const { url, key } = profile;
  if (key !== undefined) return new MarketingPlatform({ apiKey: key, baseUrl: url, fetch: send });
  const tokens = tokensFor(profile, send);
  if (!tokens) throw new NotLoggedInError('Not logged in. Run "mp login", or set MP_API_KEY.');
  let token = tokens.first();
  const first = await token;
  // `mp mcp`, `mp events tail` and large imports run for longer than a token is valid.
  const withToken: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    if (!headers.has('authorization')) return send(input, init);
    const used = token;
    const sendWith = async (current: Promise<string>) => {
      headers.set('authorization', `Bearer ${await current}`);
      return send(input, { ...init, headers });
    };
    const response = await sendWith(used);
    // A stream can be sent only once.
    if (response.status !== 401 || init?.body instanceof ReadableStream) return response;
    // Unless another request has replaced it already. If that fails, this response says why, and the next request tries again.
    if (token === used) token = used.then(tokens.next).catch(() => used);
    if ((await token) === (await used)) return response;
    await response.body?.cancel();
    return sendWith(token);
  };
  return new MarketingPlatform({ apiKey: first, baseUrl: url, fetch: withToken });
}

export const connect = async (profile?: string) => connectTo(await currentProfile(profile));
