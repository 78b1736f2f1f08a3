import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startIdentityProvider } from '../../../test/start-identity-provider.ts';
import { codeOf, wrongCode } from '../../../test/start-second-factors.ts';
import { startSingleSignOn } from '../../../test/start-single-sign-on.ts';
import { InstallationProviders } from './installation-provider.ts';

const confirmPage = '/sign-in?confirm=true&to=%2Fsegments';

test('linking an identity to a user with a second factor takes that factor', async (t) => {
  const shared = await startIdentityProvider(t);
  shared.allow('http://localhost:8080/auth/single-sign-on/shared/callback');
  const installationProviders = InstallationProviders.parse(
    JSON.stringify([{ id: 'shared', name: 'Shared', issuer: shared.issuer, ...shared.client }]),
  );
  const { gateway, createCompany, openBrowser, makeUser } = await startSingleSignOn(t, { installationProviders });
  const idp = await startIdentityProvider(t);
  const company = await createCompany();
  const { account, settings, audited } = company;
  const provider = await company.addProvider(idp);
  await company.prove('acme.example');

  /** A user with an authenticator app, as the provider knows them. */
  async function protectedUser(name: string, of = idp, theirs = account) {
    const email = `${name}@acme.example`;
    const { id } = await makeUser(theirs, email);
    const user = await gateway.stores.users.find(theirs.id, id);
    assert.ok(user);
    const headers = await gateway.signIn(theirs, user);
    const begun = await gateway.send('POST', '/auth/second-factors/totp', { name: 'Phone' }, { headers });
    const { id: factor, secret } = begun.data;
    const confirm = () => gateway.send('POST', '/auth/second-factors/totp/confirm', { id: factor, code: codeOf(secret, -1) }, { headers });
    const first = await confirm();
    // If a step has ended on the way, the code was that of two steps ago.
    const added = first.status === 400 ? await confirm() : first;
    assert.equal(added.status, 200, added.text);
    of.people.set(name, { email, email_verified: true });
    return { id, secret: String(secret) };
  }
  const isLinked = async (id: string) => (await audited('user.linked')).some((entry: { target_id: string }) => entry.target_id === id);

  await t.test('the factor is required at the first sign-in, before there is a session or a link, and not at the next', async () => {
    const { id, secret } = await protectedUser('ada');
    const browser = openBrowser();
    assert.equal(await browser.signIn(idp, provider, 'ada', '/segments'), confirmPage);
    assert.deepEqual([(await browser.session()).status, await isLinked(id)], [401, false]);
    const due = await browser.visit('/auth/second-factor');
    assert.deepEqual(due.data.second_factor_due.methods, ['totp', 'recovery_code']);
    const wrong = await browser.visit('/auth/second-factor', { code: wrongCode(secret) });
    assert.deepEqual([wrong.status, await isLinked(id)], [400, false]);
    assert.equal((await browser.visit('/auth/second-factor', { code: codeOf(secret) })).status, 200);
    assert.deepEqual([(await browser.session()).data.user.id, await isLinked(id)], [id, true]);
    const [entry] = await audited('user.signed_in');
    assert.deepEqual([entry.details.by, entry.details.second_factor, entry.details.provider_id], ['single_sign_on', 'totp', provider.id]);
    assert.equal(await openBrowser().signIn(idp, provider, 'ada', '/segments'), '/segments');
  });

  await t.test('the factor is required again for each further link', async () => {
    const { id, secret } = await protectedUser('bob');
    const browser = openBrowser();
    await browser.signIn(idp, provider, 'bob');
    assert.equal((await browser.visit('/auth/second-factor', { code: codeOf(secret) })).status, 200);
    assert.equal((await settings('POST', `/users/${id}/unlink`)).status, 200);
    const next = openBrowser();
    assert.equal(await next.signIn(idp, provider, 'bob', '/segments'), confirmPage);
    assert.equal((await next.visit('/auth/second-factor', { code: codeOf(secret, 1) })).status, 200);
    assert.equal((await next.session()).data.user.id, id);
  });

  await t.test('an admin whose provider claims the address of a colleague cannot sign in as them without the second factor', async () => {
    const { id } = await protectedUser('carol');
    const evil = await startIdentityProvider(t);
    const theirs = await company.addProvider(evil, { name: 'Evil' });
    evil.people.set('mallory', { email: 'carol@acme.example', email_verified: true });
    const browser = openBrowser();
    assert.equal(await browser.signIn(evil, theirs, 'mallory', '/segments'), confirmPage);
    assert.deepEqual([(await browser.session()).status, (await browser.visit('/v2/me')).status, await isLinked(id)], [401, 401, false]);
    assert.equal(await openBrowser().signIn(evil, theirs, 'mallory', '/segments'), confirmPage, 'also the second time');
  });

  await t.test('the factor is required for providers of the installation, too', async () => {
    const { id, secret } = await protectedUser('dora', shared);
    const browser = openBrowser();
    assert.equal(await browser.signIn(shared, { id: 'shared' }, 'dora', '/segments'), confirmPage);
    assert.equal((await browser.visit('/auth/second-factor', { code: codeOf(secret) })).status, 200);
    assert.deepEqual([(await browser.session()).data.user.id, await isLinked(id)], [id, true]);
  });

  await t.test(
    'a sign-in links the user of the account that it is for, although the identity is already linked in another account',
    async () => {
      const other = await createCompany();
      await other.prove('acme.example');
      const first = await protectedUser('fay', shared);
      const browser = openBrowser();
      await browser.signIn(shared, { id: 'shared' }, 'fay');
      assert.equal((await browser.visit('/auth/second-factor', { code: codeOf(first.secret) })).status, 200);
      const second = await protectedUser('fay', shared, other.account);
      const next = openBrowser();
      const begun = await next.visit('/auth/single-sign-on', { provider_id: 'shared', to: '/segments', account_id: other.account.id });
      assert.equal(await next.finish(await shared.signIn(begun.data.url, 'fay')), confirmPage);
      assert.equal((await next.visit('/auth/second-factor', { code: codeOf(second.secret) })).status, 200);
      assert.equal((await next.session()).data.user.id, second.id);
    },
  );

  await t.test('what has changed in the meantime counts: a disabled provider links nobody, and the code stays unused', async () => {
    const { id, secret } = await protectedUser('eve');
    const browser = openBrowser();
    await browser.signIn(idp, provider, 'eve');
    await settings('PUT', `/identity-providers/${provider.id}`, { enabled: false });
    const code = codeOf(secret);
    const refused = await browser.visit('/auth/second-factor', { code });
    assert.deepEqual([refused.status, refused.error.code, await isLinked(id)], [403, 'FORBIDDEN', false]);
    await settings('PUT', `/identity-providers/${provider.id}`, { enabled: true });
    assert.equal((await browser.visit('/auth/second-factor', { code })).status, 200);
    assert.equal(await isLinked(id), true);
  });

  await t.test('a caller that has proven nothing learns no methods', async () => {
    assert.equal((await openBrowser().visit('/auth/second-factor')).status, 401);
  });
});
