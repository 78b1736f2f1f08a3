import { once } from 'node:events';
import { createServer } from 'node:http';
import * as oauth from 'oauth4webapi';
import { NotLoggedInError, UsageError } from './usage-error.ts';

/** What a profile stores of a login by browser. `access_until` is in epoch milliseconds. */
export type Tokens = { access_token: string; refresh_token: string; access_until: number };

type Platform = { url: string; clientId: string };
type Login = Platform & { scope: string | undefined; visit: (url: string) => void };

const maxWaitMs = 5 * 60_000;

/** The platform as its metadata describes it. Without TLS only if the user has named such a URL. */
async function discover(url: string) {
  const issuer = new URL(url);
  const options = { [oauth.allowInsecureRequests]: issuer.protocol === 'http:' };
  const response = await oauth.discoveryRequest(issuer, { ...options, algorithm: 'oauth2' });
  const server = await oauth.processDiscoveryResponse(issuer, response).catch((error: unknown) => {
    if (!(error instanceof oauth.OperationProcessingError)) throw error;
    throw new UsageError(`The public URL of the platform is not ${url}. Pass its public URL as --url.`);
  });
  return { options, server };
}

function tokensOf({ access_token, refresh_token, expires_in = 0 }: oauth.TokenEndpointResponse): Tokens {
  if (refresh_token === undefined) throw new Error('The platform has returned no refresh token.');
  return { access_token, refresh_token, access_until: Date.now() + expires_in * 1_000 };
}

/** Waits on this device for the response to the request with this state (RFC 8252 §7.3). Whatever else arrives is not for us. */
async function listen(isResponse: (url: URL) => boolean) {
  const server = createServer();
  const redirected = new Promise<URL>((resolve, reject) => {
    const timer = setTimeout(() => reject(new UsageError('Nobody has answered in the browser. Run the command again.')), maxWaitMs);
    server.on('close', () => clearTimeout(timer));
    server.on('request', (request, response) => {
      const url = new URL(request.url ?? '/', 'http://127.0.0.1');
      const isOurs = url.pathname === '/callback' && isResponse(url);
      response.writeHead(isOurs ? 200 : 400, { 'content-type': 'text/plain', connection: 'close' });
      response.end(isOurs ? 'Done. Close this window and return to the terminal.' : 'This is not the response that mp login waits for.');
      if (isOurs) resolve(url);
    });
  }).finally(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return { redirectUri: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/callback`, redirected };
}

/** The parameters of the response. Throws NotLoggedInError if the user has not allowed it. */
function allowed(...response: Parameters<typeof oauth.validateAuthResponse>) {
  try {
    return oauth.validateAuthResponse(...response);
  } catch (error) {
    if (!(error instanceof oauth.AuthorizationResponseError)) throw error;
    throw new NotLoggedInError(error.error_description ?? error.error);
  }
}

/** Lets the user allow access in a browser: the authorization code grant with PKCE, for a client without a secret. */
export async function logInByBrowser({ url, clientId, scope, visit }: Login): Promise<Tokens> {
  const { server, options } = await discover(url);
  const client: oauth.Client = { client_id: clientId };
  const [state, verifier] = [oauth.generateRandomState(), oauth.generateRandomCodeVerifier()];
  const { redirectUri, redirected } = await listen(({ searchParams }) => searchParams.get('state') === state);
  const page = new URL(server.authorization_endpoint ?? '/oauth/authorize', url);
  if (!/^https?:$/.test(page.protocol)) throw new Error(`The platform names ${page.href} as its page, which is none.`);
  const query = {
    ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, state, ...(scope !== undefined && { scope }) },
    ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
  };
  for (const [name, value] of Object.entries(query)) page.searchParams.set(name, value);
  visit(page.href);
  const parameters = allowed(server, client, await redirected, state);
  const response = await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), parameters, redirectUri, verifier, options);
  return tokensOf(await oauth.processAuthorizationCodeResponse(server, client, response));
}

/** The next tokens. Each refresh token works once. */
export async function refresh({ url, clientId }: Platform, refreshToken: string): Promise<Tokens> {
  const { server, options } = await discover(url);
  const client: oauth.Client = { client_id: clientId };
  try {
    const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshToken, options);
    return tokensOf(await oauth.processRefreshTokenResponse(server, client, response));
  } catch (error) {
    if (!(error instanceof oauth.ResponseBodyError) || error.status >= 500 || error.status === 429) throw error;
    throw new NotLoggedInError('The access that you allowed in the browser has ended. Run "mp login --browser" again.');
  }
}

/** Ends the access, with all its tokens. */
export async function revokeAccess({ url, clientId }: Platform, refreshToken: string): Promise<void> {
  const { server, options } = await discover(url);
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, { client_id: clientId }, oauth.None(), refreshToken, options),
  );
}
