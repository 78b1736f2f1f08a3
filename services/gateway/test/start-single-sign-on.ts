import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { AccountRow } from '../src/settings/accounts/account.ts';
import type { IdentityProvider } from '../src/settings/single-sign-on/identity-provider.ts';
import type { InstallationProvider } from '../src/settings/single-sign-on/installation-provider.ts';
import type { Mail } from '../src/settings/users/mailer.ts';
import { startIdentityProvider, type TestIdentityProvider } from './start-identity-provider.ts';
import { startTestGateway } from './start-test-gateway.ts';

const pathOf = (url: URL | string) => {
  const { pathname, search } = new URL(url, 'http://localhost:8080');
  return pathname + search;
};

/** A gateway whose account signs in with a real OpenID provider, and browsers for its users. */
export async function startSingleSignOn(
  t: TestContext,
  { installationProviders = [] }: { installationProviders?: readonly InstallationProvider[] } = {},
) {
  const mails: Mail[] = [];
  const clock = { ahead: 0 };
  const records = new Map<string, string>();
  const gateway = await startTestGateway(t, {
    mailer: { send: async (mail) => void mails.push(mail) },
    now: () => Date.now() + clock.ahead,
    providerNetwork: { allowPrivate: true, allowHttp: true },
    ...{ installationProviders, allowHttpProviders: true },
    dns: {
      async resolveTxt(name) {
        const value = records.get(name);
        if (value === undefined) throw Object.assign(new Error('none'), { code: 'ENOTFOUND' });
        if (value === 'SERVFAIL') throw Object.assign(new Error('away'), { code: 'ESERVFAIL' });
        return [value.match(/.{1,20}/g) ?? []];
      },
    },
  });
  const { call, send, makeKey, makeAccount } = gateway;

  /** An account with the functions of its admin. */
  async function createCompany() {
    const account = await makeAccount();
    const key = await makeKey({ account });
    const settings = (method: string, path: string, body: object = {}) => send(method, `/v2/settings${path}`, body, { key });

    async function addProvider(idp: TestIdentityProvider, body: object = {}): Promise<IdentityProvider> {
      const wanted = { name: 'Login', issuer: idp.issuer, ...idp.client, ...body };
      const created = await settings('POST', '/identity-providers', wanted);
      assert.equal(created.status, 201, created.text);
      idp.allow(created.data.redirect_uri);
      return created.data;
    }

    async function prove(domain: string) {
      const added = await settings('POST', '/domains', { domain });
      assert.equal(added.status, 201, added.text);
      records.set(added.data.record.name, added.data.record.value);
      const verified = await settings('POST', `/domains/${added.data.id}/verify`);
      assert.equal(verified.data.status, 'verified', verified.text);
    }

    const audited = async (action: string) => (await settings('GET', `/audit-log?action=${action}`)).data.items;
    const userOf = async (email: string) => gateway.stores.users.findInAccount(account.id, email);
    return { account, key, settings, addProvider, prove, audited, userOf };
  }

  /** A browser without cookies. */
  function openBrowser() {
    const jar = new Map<string, string>();
    const cookie = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');

    async function visit(path: string, body?: object) {
      const headers = { cookie: cookie(), 'content-type': 'application/json', 'user-agent': 'a browser' };
      const response = await call(path, { redirect: 'manual', headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) });
      for (const set of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        jar.set(name, value);
      }
      return { ...response, location: response.headers.get('location') ?? '' };
    }

    /** The page of the provider; without one, the status. */
    const start = async ({ id: provider_id }: { id: string }, to = '/'): Promise<string> => {
      const { status, data } = await visit('/auth/single-sign-on', { provider_id, to });
      return data?.url ?? String(status);
    };
    const finish = async (returned: URL | string) => (await visit(pathOf(returned))).location;

    return {
      jar,
      visit,
      start,
      finish,
      /** From the sign-in page to the page that opens then. */
      signIn: async (idp: TestIdentityProvider, provider: { id: string }, subject: string, to?: string) =>
        finish(await idp.signIn(await start(provider, to), subject)),
      session: () => visit('/auth/session'),
    };
  }

  const makeUser = async (account: AccountRow, email: string, role: 'admin' | 'editor' | 'viewer' = 'viewer') => {
    const key = await makeKey({ account });
    const invited = await send('POST', '/v2/settings/users', { email, role }, { key });
    assert.equal(invited.status, 201, invited.text);
    return { id: invited.data.id, token: String(invited.data.invitation_url).split('#token=')[1] ?? '' };
  };

  return { gateway, mails, clock, records, createCompany, openBrowser, makeUser, startIdentityProvider: () => startIdentityProvider(t) };
}
