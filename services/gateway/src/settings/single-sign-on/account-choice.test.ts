import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startIdentityProvider } from '../../../test/start-identity-provider.ts';
import { startSingleSignOn } from '../../../test/start-single-sign-on.ts';
import { InstallationProviders } from './installation-provider.ts';

const choosePage = '/sign-in?choose=true&to=%2Fsegments';

test('an identity of the installation that is a user in several accounts', async (t) => {
  const idp = await startIdentityProvider(t);
  idp.allow('http://localhost:8080/auth/single-sign-on/shared/callback');
  const shared = { id: 'shared' };
  const installationProviders = InstallationProviders.parse(
    JSON.stringify([{ ...shared, name: 'Shared', issuer: idp.issuer, ...idp.client }]),
  );
  const { gateway, createCompany, openBrowser, makeUser } = await startSingleSignOn(t, { installationProviders });
  const companies = [await createCompany(), await createCompany()] as const;
  for (const company of companies) await company.prove('acme.example');
  const [shop, studio] = companies;

  /** A person whom the provider knows, invited to both accounts and linked to neither. */
  async function consultant(name: string) {
    const email = `${name}@acme.example`;
    idp.people.set(name, { email, email_verified: true });
    const users = [await makeUser(shop.account, email), await makeUser(studio.account, email, 'editor')] as const;
    const begin = async () => {
      const browser = openBrowser();
      assert.equal(await browser.signIn(idp, shared, name, '/segments'), choosePage);
      return browser;
    };
    return { users, begin };
  }
  type Browser = ReturnType<typeof openBrowser>;
  const choose = (browser: Browser, { account }: { account: { id: string } }) =>
    browser.visit('/auth/account-choice', { account_id: account.id });
  const offered = async (browser: Browser) => (await browser.visit('/auth/account-choice')).data?.account_choice_due.accounts;
  const linksOf = async (id: string) =>
    (await Promise.all(companies.map(({ audited }) => audited('user.linked')))).flat().filter(({ target_id }) => target_id === id).length;

  await t.test('chooses one before there is a session or a link, at the first sign-in and at later ones', async () => {
    const { users, begin } = await consultant('ada');
    const browser = await begin();
    assert.deepEqual(
      (await offered(browser)).map(({ id, role }: { id: string; role: string }) => [id, role]),
      [
        [shop.account.id, 'Viewer'],
        [studio.account.id, 'Editor'],
      ],
    );
    assert.deepEqual([(await browser.session()).status, await linksOf(users[0].id), await linksOf(users[1].id)], [401, 0, 0]);
    assert.equal((await choose(browser, studio)).status, 200);
    assert.equal((await browser.session()).data.user.id, users[1].id);
    assert.deepEqual([await linksOf(users[0].id), await linksOf(users[1].id)], [0, 1]);
    const [entry] = await studio.audited('user.signed_in');
    assert.deepEqual([entry.details.by, entry.details.provider_id], ['single_sign_on', 'shared']);

    const later = await begin();
    assert.equal((await offered(later))[0].id, studio.account.id, 'that of the last sign-in is the first');
    assert.equal((await choose(later, shop)).status, 200);
    assert.equal((await later.session()).data.user.id, users[0].id);
    assert.equal((await choose(await begin(), studio)).status, 200);
    assert.equal(await linksOf(users[1].id), 1);
  });

  await t.test('is asked nothing if the sign-in names the account', async () => {
    const { users } = await consultant('bob');
    const browser = openBrowser();
    const begun = await browser.visit('/auth/single-sign-on', { provider_id: 'shared', to: '/segments', account_id: studio.account.id });
    assert.equal(await browser.finish(await idp.signIn(begun.data.url, 'bob')), '/segments');
    assert.equal((await browser.session()).data.user.id, users[1].id);
  });

  await t.test('chooses once, in the browser that came back, and no account of anybody else', async () => {
    const { begin } = await consultant('carl');
    const browser = await begin();
    assert.equal((await choose(openBrowser(), shop)).status, 401);
    const stranger = await createCompany();
    assert.equal((await choose(browser, stranger)).status, 400);
    const token = browser.jar.get('mp_second_factor') ?? '';
    assert.equal((await choose(browser, shop)).status, 200);
    browser.jar.set('mp_second_factor', token);
    assert.equal((await choose(browser, studio)).status, 401);
  });

  await t.test('proves the second factor that the chosen account has, before it is linked', async () => {
    const { users, begin } = await consultant('dora');
    const dora = { email: 'dora@acme.example', account_id: shop.account.id };
    await gateway.parts.mongo.db.collection('users').updateOne(dora, { $set: { has_second_factor: true } });
    const browser = await begin();
    const due = await choose(browser, shop);
    assert.ok(due.data.second_factor_due, due.text);
    assert.deepEqual([(await browser.session()).status, await linksOf(users[0].id)], [401, 0]);
    assert.equal((await browser.visit('/auth/second-factor')).status, 200);
    const other = await begin();
    assert.ok((await choose(other, studio)).data.user, 'the other account has none');
  });

  await t.test(
    'is held to what has changed since: an account that no longer admits the provider, a suspended one, a removed user',
    async () => {
      const { users, begin } = await consultant('eve');
      const browser = await begin();
      await studio.settings('PUT', '/account', { installation_providers: 'off' });
      const refused = await choose(browser, studio);
      assert.deepEqual([refused.status, refused.error.code, await linksOf(users[1].id)], [403, 'FORBIDDEN', 0]);
      await studio.settings('PUT', '/account', { installation_providers: 'existing_users' });
      await gateway.parts.mongo.transaction({ correlationId: 't', causationId: null }, (tx) =>
        gateway.stores.accounts.update(tx, studio.account.id, { status: 'suspended' }),
      );
      assert.deepEqual([(await choose(browser, studio)).status, await linksOf(users[1].id)], [403, 0]);
      await shop.settings('DELETE', `/users/${users[0].id}`);
      assert.equal((await choose(browser, shop)).status, 400);
      assert.equal((await browser.session()).status, 401);
    },
  );
});
