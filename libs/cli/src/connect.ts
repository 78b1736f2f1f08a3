import { MarketingPlatform } from '@marketing-platform/sdk';
import { currentProfile, type Profile } from './profiles.ts';
import { NotLoggedInError } from './usage-error.ts';

/** The SDK with the credentials of a profile. An OAuth client gets a token for each command, and another one whenever it expires. */
export async function connectTo({ url, key, client_id, client_secret }: Profile, send: typeof fetch = fetch): Promise<MarketingPlatform> {
  if (key !== undefined) return new MarketingPlatform({ apiKey: key, baseUrl: url, fetch: send });
  if (client_id === undefined || client_secret === undefined)
    throw new NotLoggedInError('Not logged in. Run "mp login", or set MP_API_KEY.');
  const anonymous = new MarketingPlatform({ apiKey: 'none', baseUrl: url, fetch: send });
  const newToken = async () =>
    (await anonymous.oauth.createToken({ grant_type: 'client_credentials', client_id, client_secret })).access_token;
  let token = newToken();
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
    if (token === used) token = newToken().catch(() => used);
    if ((await token) === (await used)) return response;
    await response.body?.cancel();
    return sendWith(token);
  };
  return new MarketingPlatform({ apiKey: first, baseUrl: url, fetch: withToken });
}

export const connect = async (profile?: string) => connectTo(await currentProfile(profile));
