import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import * as oauth from 'oauth4webapi';
import { type Browser, startSecondFactors } from './start-second-factors.ts';

const redirectUri = 'https://app.example/callback';

type Token = Awaited<ReturnType<typeof oauth.processAuthorizationCodeResponse>>;

/** A gateway with an application of one account that users of others connect, driven by `oauth4webapi` and what a browser sends. */
export async function startApplication(t: TestContext) {
  const setting = await startSecondFactors(t);
  const { send, call, url, makeAccount, makeKey } = setting;
  const publicUrl = 'http://localhost:8080';
  const issuer = new URL(publicUrl);
  const through = {
    [oauth.customFetch]: (address: string, init: object) => fetch(address.replace(publicUrl, url), init),
    [oauth.allowInsecureRequests]: true,
  };
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { ...through, algorithm: 'oauth2' }));
  const developer = await makeAccount('starter');
  const key = await makeKey({ account: developer });

  async function register(body: object = {}) {
    const wanted = { name: 'Zap', permission: 'read_write', redirect_uris: [redirectUri], ...body };
    const made = await send('POST', '/v2/settings/oauth-clients', wanted, { key });
    assert.equal(made.status, 201, made.text);
    const client: oauth.Client = { client_id: made.data.id };
    const authentication = made.data.confidential ? oauth.ClientSecretBasic(made.data.client_secret) : oauth.None();
    return { id: String(made.data.id), secret: String(made.data.client_secret), client, authentication };
  }
  type Application = Awaited<ReturnType<typeof register>>;

  /** The request with which an application sends a browser, and what proves that it was its own. */
  async function request({ id }: Application, parameters: Record<string, string> = {}) {
    const verifier = oauth.generateRandomCodeVerifier();
    const query = {
      ...{ client_id: id, redirect_uri: redirectUri, response_type: 'code', state: 'of-this-browser' },
      ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256', ...parameters },
    };
    return { verifier, query };
  }

  const encoded = (query: object) => Buffer.from(new URLSearchParams(Object.entries(query)).toString()).toString('base64url');
  const consent = (query: object, headers: Browser) => call(`/auth/authorization?request=${encoded(query)}`, { headers });
  const reply = (query: object, headers: Browser, { scopes, allow = true }: { scopes: readonly string[]; allow?: boolean }) =>
    send('POST', '/auth/authorization', { request: encoded(query), allow, scopes }, { headers });
  /** Decides as the page does: about the scopes that it has just shown. */
  const decide = async (query: object, headers: Browser, allow = true) =>
    reply(query, headers, { scopes: (await consent(query, headers)).data?.scopes ?? [], allow });

  /** Exchanges what the redirect URI received. */
  async function exchange(application: Application, redirectTo: string, verifier: string): Promise<Token> {
    const { client, authentication } = application;
    const parameters = oauth.validateAuthResponse(server, client, new URL(redirectTo), 'of-this-browser');
    const response = await oauth.authorizationCodeGrantRequest(
      ...([server, client, authentication, parameters, redirectUri, verifier] as const),
      through,
    );
    return oauth.processAuthorizationCodeResponse(server, client, response);
  }

  async function connect(application: Application, headers: Browser, parameters: Record<string, string> = {}): Promise<Token> {
    const { verifier, query } = await request(application, parameters);
    const decided = await decide(query, headers);
    assert.equal(decided.status, 200, decided.text);
    return exchange(application, decided.data.redirect_to, verifier);
  }

  async function refresh({ client, authentication }: Application, token: string): Promise<Token> {
    const response = await oauth.refreshTokenGrantRequest(server, client, authentication, token, through);
    return oauth.processRefreshTokenResponse(server, client, response);
  }

  /** A request to the token endpoints without a client library. */
  const form = (path: string, body: Record<string, string>) =>
    call(path, {
      method: 'POST',
      body: new URLSearchParams(body).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });

  const bearer = ({ access_token }: Token) => ({ authorization: `Bearer ${access_token}` });
  const statusOf = async (path: string, token: Token) => (await call(path, { key: bearer(token) })).status;

  return {
    ...setting,
    server,
    developer,
    key,
    redirectUri,
    register,
    request,
    consent,
    reply,
    decide,
    exchange,
    connect,
    refresh,
    form,
    bearer,
    statusOf,
  };
}

export const refusedGrant = (error: unknown) => error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant';
