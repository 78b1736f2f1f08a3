import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startIdentityProvider, type TestIdentityProvider } from '../../../test/start-identity-provider.ts';
import { startSingleSignOn } from '../../../test/start-single-sign-on.ts';
import { newOwner } from '../users/user.ts';
import { InstallationProviders } from './installation-provider.ts';

const notAllowed = '/sign-in?failed=not_allowed';
const unverified = '/sign-in?failed=unverified_email';
const expired = '/sign-in?failed=expired';
const refused = '/sign-in?failed=refused';

const configured = (id: string, { issuer, client }: TestIdentityProvider, more: object = {}) => ({
  id,
  name: id,
  issuer,
  ...client,
  ...more,
});
const redirectUri = (id: string) => `http://localhost:8080/auth/single-sign-on/${id}/callback`;

test('identity providers of the whole installation', async (t) => {
  const [idp, other, limited] = [await startIdentityProvider(t), await startIdentityProvider(t), await startIdentityProvider(t)];
  const installationProviders = InstallationProviders.parse(
    JSON.stringify([
      configured('acme', idp),
      configured('other', other),
      configured('limited', limited, { email_domains: ['Only.Example'] }),
    ]),
  );
  idp.allow(redirectUri('acme'));
  other.allow(redirectUri('other'));
  limited.allow(redirectUri('limited'));
  const { gateway, createCompany, openBrowser, makeUser } = await startSingleSignOn(t, { installationProviders });
  const [acme, second] = [{ id: 'acme' }, { id: 'other' }];
  const company = await createCompany();
  const { account, settings, userOf, audited } = company;
  await company.prove('acme.example');
  const person = (of: TestIdentityProvider, subject: string, email: string, email_verified = true) =>
    of.people.set(subject, { email, email_verified });
  const whoIs = async (browser: ReturnType<typeof openBrowser>) => (await browser.session()).data?.user.id;
  const admit = async (installation_providers: string, of = company) =>
    assert.equal((await of.settings('PUT', '/account', { installation_providers })).status, 200);

  await t.test('are offered to everybody, unlike those of accounts', async () => {
    await company.addProvider(await startIdentityProvider(t), { name: 'Own' });
    const { data } = await openBrowser().visit('/auth/single-sign-on');
    assert.deepEqual(data.providers, [
      { id: 'acme', name: 'acme' },
      { id: 'other', name: 'other' },
      { id: 'limited', name: 'limited' },
    ]);
  });

  await t.test(
    'link an existing user whose verified address is in a domain that the account has proven, and know the subject then',
    async () => {
      const { id } = await makeUser(account, 'ada@acme.example', 'admin');
      person(idp, 'ada', 'Ada@Acme.example');
      const browser = openBrowser();
      assert.equal(await browser.signIn(idp, acme, 'ada', '/segments'), '/segments');
      assert.equal(await whoIs(browser), id);
      person(idp, 'ada', 'countess@elsewhere.example', false);
      const again = openBrowser();
      assert.equal(await again.signIn(idp, acme, 'ada'), '/');
      assert.equal(await whoIs(again), id);
      const [linked] = await audited('user.linked');
      assert.deepEqual([linked.details.provider_id, linked.details.subject, linked.details.by], ['acme', 'ada', 'domain']);
    },
  );

  await t.test('an email address alone finds nobody: unverified, or in a domain that the account has not proven', async () => {
    await makeUser(account, 'bob@acme.example', 'admin');
    await makeUser(account, 'carl@loose.example', 'admin');
    person(idp, 'bob', 'bob@acme.example', false);
    person(idp, 'carl', 'carl@loose.example');
    assert.equal(await openBrowser().signIn(idp, acme, 'bob'), unverified);
    assert.equal(await openBrowser().signIn(idp, acme, 'carl'), notAllowed);
    const stranger = await createCompany();
    await makeUser(stranger.account, 'dan@acme.example', 'admin');
    person(idp, 'dan', 'dan@acme.example');
    assert.equal(await openBrowser().signIn(idp, acme, 'dan'), notAllowed, 'another account has proven it');
  });

  await t.test('link the user whom an invitation is for, with whatever address, in the account of the invitation only', async () => {
    const { id, token } = await makeUser(account, 'eve@elsewhere.example');
    person(idp, 'eve', 'eve@home.example', false);
    const browser = openBrowser();
    const { data } = await browser.visit('/auth/single-sign-on', { token, provider_id: 'acme' });
    assert.equal(await browser.finish(await idp.signIn(data.url, 'eve')), '/');
    assert.equal(await whoIs(browser), id);
    person(idp, 'mallory', 'mallory@home.example');
    const late = openBrowser();
    const used = await late.visit('/auth/single-sign-on', { token, provider_id: 'acme' });
    assert.notEqual(await late.finish(await idp.signIn(used.data.url, 'mallory')), '/', 'it is used up');
    assert.equal(await whoIs(late), undefined);
  });

  await t.test('create users only where the account says so, as viewers, and sign nobody in where it says off', async () => {
    person(idp, 'fay', 'fay@acme.example');
    assert.equal(await openBrowser().signIn(idp, acme, 'fay'), notAllowed);
    await admit('just_in_time');
    assert.equal(await openBrowser().signIn(idp, acme, 'fay'), '/');
    assert.equal((await userOf('fay@acme.example'))?.role, 'viewer');
    await admit('off');
    assert.equal(await openBrowser().signIn(idp, acme, 'fay'), notAllowed, 'also who is linked');
    const { token } = await makeUser(account, 'gil@acme.example');
    const { data } = await openBrowser().visit('/auth/single-sign-on', { token });
    assert.deepEqual(
      data.providers.map(({ name }: { name: string }) => name),
      ['Own'],
    );
    await admit('existing_users');
    assert.equal(await openBrowser().signIn(idp, acme, 'fay'), '/');
  });

  await t.test('a second provider that claims the same address does not get the user, of the account or of the installation', async () => {
    person(other, 'ada', 'ada@acme.example');
    assert.equal(await openBrowser().signIn(other, second, 'ada'), notAllowed);
    const own = await startIdentityProvider(t);
    const provider = await company.addProvider(own, { name: 'Theirs', just_in_time: true });
    person(own, 'ada', 'ada@acme.example');
    assert.equal(await openBrowser().signIn(own, provider, 'ada'), notAllowed);
    await makeUser(account, 'hal@acme.example');
    person(own, 'hal', 'hal@acme.example');
    assert.equal(await openBrowser().signIn(own, provider, 'hal'), '/');
    person(idp, 'hal', 'hal@acme.example');
    assert.equal(await openBrowser().signIn(idp, acme, 'hal'), notAllowed, 'linked to the provider of the account');
  });

  await t.test('one provider cannot vouch for the users of another', async () => {
    const browser = openBrowser();
    const returned = await idp.signIn(await browser.start(acme), 'ada');
    const swapped = new URL(returned.href.replace('/acme/', '/other/'));
    assert.equal(await browser.finish(swapped), expired, 'the state belongs to its provider');
    const begun = new URL(await browser.start(second));
    swapped.searchParams.set('state', begun.searchParams.get('state') ?? '');
    assert.equal(await browser.finish(swapped), refused, 'and iss and the code to theirs');
    assert.equal(await whoIs(browser), undefined);
    person(other, 'ada', 'nobody@nowhere.example');
    assert.equal(await openBrowser().signIn(other, second, 'ada'), notAllowed, 'the same subject elsewhere is another person');
  });

  await t.test('a response works once, in the browser that began', async () => {
    const browser = openBrowser();
    const returned = await idp.signIn(await browser.start(acme), 'ada');
    const thief = openBrowser();
    await thief.start(acme);
    assert.equal(await thief.finish(returned), expired);
    assert.equal(await browser.finish(returned), '/');
    assert.equal(await browser.finish(returned), expired, 'the state is used up');
    returned.searchParams.set('state', new URL(await thief.start(acme)).searchParams.get('state') ?? '');
    assert.equal(await thief.finish(returned), refused, 'and so is the code');
  });

  await t.test('sign in only the domains that the operator has limited them to', async () => {
    await company.prove('only.example');
    await admit('just_in_time');
    person(limited, 'ivy', 'ivy@acme.example');
    person(limited, 'jo', 'jo@only.example');
    assert.equal(await openBrowser().signIn(limited, { id: 'limited' }, 'ivy'), notAllowed);
    assert.equal(await openBrowser().signIn(limited, { id: 'limited' }, 'jo'), '/');
    await admit('existing_users');
  });

  await t.test('one identity is a user in each account that invites it, and then chooses the account', async () => {
    const client = await createCompany();
    const { id, token } = await makeUser(client.account, 'eve@client.example');
    const browser = openBrowser();
    const { data } = await browser.visit('/auth/single-sign-on', { token, provider_id: 'acme' });
    assert.equal(await browser.finish(await idp.signIn(data.url, 'eve')), '/');
    assert.equal(await whoIs(browser), id);
    const next = openBrowser();
    assert.equal(await next.signIn(idp, acme, 'eve'), '/sign-in?choose=true&to=%2F');
    assert.equal((await next.visit('/auth/account-choice', { account_id: client.account.id })).status, 200);
    assert.equal(await whoIs(next), id);
    await client.settings('DELETE', `/users/${id}`);
    const back = openBrowser();
    assert.equal(await back.signIn(idp, acme, 'eve'), '/', 'of one account, nothing is asked');
    assert.equal((await back.session()).data.account_id, account.id);
  });

  await t.test('the same subject of another issuer is another person, although the operator kept the ID', async () => {
    const find = (issuer: string) =>
      gateway.parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) =>
        gateway.stores.identities.find(tx, { id: 'acme', account_id: null, issuer }, 'ada'),
      );
    assert.equal((await find(idp.issuer)).length, 1);
    assert.deepEqual(await find(other.issuer), []);
  });

  await t.test('stay admitted when an account of an earlier release begins to require single sign-on, and are then needed', async () => {
    const grown = await createCompany();
    await grown.prove('grown.example');
    await makeUser(grown.account, 'lee@grown.example');
    person(idp, 'lee', 'lee@grown.example');
    const accounts = gateway.parts.mongo.db.collection<{ _id: string }>('accounts');
    await accounts.updateOne({ _id: grown.account.id }, { $unset: { installation_providers: 1 } });
    assert.equal((await grown.settings('PUT', '/account', { single_sign_on: 'required' })).status, 200);
    assert.equal(await openBrowser().signIn(idp, acme, 'lee'), '/');
    assert.equal((await grown.settings('PUT', '/account', { installation_providers: 'off' })).status, 409);
  });

  await t.test('satisfy a requirement of single sign-on, but not one that is older than the setting', async () => {
    const strict = await createCompany();
    await strict.prove('strict.example');
    await makeUser(strict.account, 'kim@strict.example');
    person(idp, 'kim', 'kim@strict.example');
    const owner = await gateway.stores.users.ensureOwner(newOwner(strict.account.id));
    assert.equal((await strict.settings('PUT', '/account', { single_sign_on: 'required', installation_providers: 'off' })).status, 409);
    assert.equal((await strict.settings('PUT', '/account', { single_sign_on: 'required' })).status, 200);
    const browser = openBrowser();
    assert.equal(await browser.signIn(idp, acme, 'kim'), '/');
    assert.equal((await browser.session()).status, 200);
    const accounts = gateway.parts.mongo.db.collection<{ _id: string }>('accounts');
    await accounts.updateOne({ _id: strict.account.id }, { $unset: { installation_providers: 1 } });
    assert.equal(await openBrowser().signIn(idp, acme, 'kim'), notAllowed);
    await idp.stop();
    const link = await gateway.stores.signInLinks.make(owner);
    assert.equal((await gateway.send('POST', '/auth/sign-in', { token: link })).status, 200, 'the owner signs in without the provider');
  });

  await t.test('their secrets are never stored', async () => {
    assert.ok(!(await gateway.everythingStored()).includes(idp.client.client_secret));
    assert.equal(
      (await settings('GET', '/identity-providers')).data.items.some(({ id }: { id: string }) => id === 'acme'),
      false,
    );
  });
});

test('the configuration of providers says what is wrong with it, without what is secret', () => {
  const valid = { id: 'acme', name: 'Acme', issuer: 'https://login.acme.example', client_id: 'x', client_secret: 'hush' };
  assert.equal(InstallationProviders.parse(JSON.stringify([valid]))[0]?.account_id, null);
  for (const [text, message] of [
    ['[{"client_secret":"hush"', /JSON array/],
    [JSON.stringify([{ ...valid, id: 'idp_01h455vb4pex5vsknk084sn02q' }]), /lower-case letters/],
    [JSON.stringify([valid, valid]), /different id/],
    [JSON.stringify([{ ...valid, just_in_time: true }]), /just_in_time/],
  ] as const) {
    const { error } = InstallationProviders.safeParse(text);
    assert.match(error?.message ?? '', message);
    assert.ok(!error?.message.includes('hush'));
  }
});
