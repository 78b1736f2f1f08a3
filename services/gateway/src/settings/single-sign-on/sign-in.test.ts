import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { startSingleSignOn } from '../../../test/start-single-sign-on.ts';
import { newOwner } from '../users/user.ts';

const password = 'a long and unlikely sentence';

test('signing in with an identity provider', async (t) => {
  const { gateway, mails, createCompany, openBrowser, makeUser, startIdentityProvider } = await startSingleSignOn(t);
  const idp = await startIdentityProvider();
  const ownerOf = (accountId: AccountId) => gateway.stores.users.ensureOwner(newOwner(accountId));
  const company = await createCompany();
  const { account, settings, userOf, audited } = company;
  const provider = await company.addProvider(idp, { just_in_time: true, default_role: 'editor' });
  await company.prove('acme.example');
  idp.people.set('ada', { email: 'Ada@Acme.example', email_verified: true, name: 'Ada Lovelace' });

  await t.test(
    'a person of a proven domain becomes a user with the default role at the first sign-in, and is the same user at the next',
    async () => {
      const browser = openBrowser();
      assert.equal(await browser.signIn(idp, provider, 'ada', '/segments?q=1'), '/segments?q=1');
      const { data } = await browser.session();
      assert.deepEqual(
        [data.user.email, data.user.name, data.user.role, data.account_id],
        ['ada@acme.example', 'Ada Lovelace', 'editor', account.id],
      );
      assert.equal(await openBrowser().signIn(idp, provider, 'ada'), '/');
      assert.equal((await settings('GET', '/users')).data.items.length, 1);
      const [created] = await audited('user.created');
      assert.deepEqual([created.target_id, created.details.provider_id], [data.user.id, provider.id]);
      assert.equal((await audited('user.linked'))[0].details.subject, 'ada');
      const [entry] = await audited('user.signed_in');
      assert.deepEqual([entry.details.by, entry.details.provider_id], ['single_sign_on', provider.id]);
    },
  );

  await t.test('a changed email address at the provider changes nothing', async () => {
    idp.people.set('ada', { email: 'countess@acme.example', email_verified: true });
    const browser = openBrowser();
    await browser.signIn(idp, provider, 'ada');
    assert.equal((await browser.session()).data.user.email, 'ada@acme.example');
    assert.equal(await userOf('countess@acme.example'), undefined);
    idp.people.set('ada', { email: 'ada@acme.example', email_verified: true });
  });

  await t.test('an existing user is linked by a proven domain, and is told of a new browser', async () => {
    const { id, token } = await makeUser(account, 'bob@acme.example', 'admin');
    await gateway.send('POST', '/auth/sign-in', { token });
    idp.people.set('bob', { email: 'bob@acme.example', email_verified: true });
    mails.length = 0;
    const browser = openBrowser();
    assert.equal(await browser.signIn(idp, provider, 'bob'), '/');
    const { user } = (await browser.session()).data;
    assert.deepEqual([user.id, user.role], [id, 'admin'], 'the default role is for new users only');
    assert.deepEqual(
      mails.map(({ to, subject }) => [to, subject]),
      ['Single sign-on was set up for you', 'New sign-in to your account'].map((subject) => ['bob@acme.example', subject]),
    );
  });

  await t.test('an invitation links an identity with any address, and works once', async () => {
    const { id, token } = await makeUser(account, 'carol@elsewhere.example');
    idp.people.set('carol', { email: 'carol@home.example', email_verified: false });
    const browser = openBrowser();
    const started = await browser.visit('/auth/single-sign-on', { token });
    assert.equal(await browser.finish(await idp.signIn(started.data.url, 'carol')), '/');
    assert.equal((await browser.session()).data.user.id, id);
    assert.equal((await gateway.send('POST', '/auth/sign-in', { token })).status, 401, 'the invitation is used up');
    assert.equal(await openBrowser().signIn(idp, provider, 'carol'), '/');
  });

  await t.test('an email address finds the providers of its domain, whether or not a user has it', async () => {
    for (const email of ['ada@acme.example', 'nobody@acme.example']) {
      const { status, data } = await openBrowser().visit('/auth/single-sign-on', { email });
      assert.deepEqual([status, data.providers], [200, [{ id: provider.id, name: 'Login' }]], email);
      assert.equal(new URL(data.url).searchParams.get('login_hint'), email);
      assert.equal(new URL(data.url).searchParams.get('code_challenge_method'), 'S256');
    }
    await makeUser(account, 'dan@other.example');
    const responses = await Promise.all(
      ['dan@other.example', 'nobody@other.example'].map((email) => openBrowser().visit('/auth/single-sign-on', { email })),
    );
    const [known, unknown] = responses.map(({ status, error }) => [status, error.code, error.message]);
    assert.deepEqual([known?.[0], known], [404, unknown]);
  });

  await t.test('roles follow the claim at each sign-in, end the sessions when they shrink, and never make an owner', async () => {
    const team = await createCompany();
    const staff = await startIdentityProvider();
    const mapped = await team.addProvider(staff, {
      ...{ role_claim: 'groups', default_role: null, just_in_time: true },
      role_mapping: [
        { value: 'admins', role: 'admin' },
        { value: 'staff', role: 'viewer' },
      ],
    });
    await team.prove('team.example');
    const signInAs = async (...groups: string[]) => {
      staff.people.set('eve', { email: 'eve@team.example', email_verified: true, groups });
      const browser = openBrowser();
      return { browser, location: await browser.signIn(staff, mapped, 'eve') };
    };
    const role = async () => (await team.userOf('eve@team.example'))?.role;
    assert.equal((await signInAs('guests')).location, '/sign-in?failed=no_role');
    assert.equal(await role(), undefined);
    const { browser: strong } = await signInAs('admins', 'staff');
    assert.equal(await role(), 'admin');
    assert.equal((await strong.session()).status, 200);
    const { browser: weak } = await signInAs('staff');
    assert.deepEqual([await role(), (await strong.session()).status, (await weak.session()).status], ['viewer', 401, 200]);
    assert.equal((await signInAs()).location, '/sign-in?failed=no_role');
    const [change] = await team.audited('user.changed');
    assert.deepEqual([change.details.before, change.details.after], [{ role: 'admin' }, { role: 'viewer' }]);

    const owners = await team.settings('PUT', `/identity-providers/${mapped.id}`, { role_mapping: [{ value: 'boss', role: 'owner' }] });
    assert.equal(owners.status, 400);
    const owner = await ownerOf(team.account.id);
    staff.people.set('owner', { email: 'owner@team.example', email_verified: true, groups: ['staff'] });
    await gateway.parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) =>
      gateway.stores.users.update(tx, { ...owner, email: 'owner@team.example' }),
    );
    assert.equal(await openBrowser().signIn(staff, mapped, 'owner'), '/');
    assert.equal((await team.userOf('owner@team.example'))?.role, 'owner');
  });

  await t.test('users are linked again after an administrator has unlinked them', async () => {
    idp.people.set('ada-again', { email: 'ada@acme.example', email_verified: true });
    assert.equal(await openBrowser().signIn(idp, provider, 'ada-again'), '/sign-in?failed=not_allowed');
    const { id } = (await userOf('ada@acme.example')) ?? { id: '' };
    assert.equal((await settings('POST', `/users/${id}/unlink`)).status, 200);
    assert.equal(await openBrowser().signIn(idp, provider, 'ada-again'), '/');
    assert.equal((await audited('user.unlinked')).length, 1);
  });

  await t.test('a removed user is forgotten by the provider, too', async () => {
    const { id } = (await userOf('bob@acme.example')) ?? { id: '' };
    const browser = openBrowser();
    await browser.signIn(idp, provider, 'bob');
    await settings('DELETE', `/users/${id}`);
    assert.equal((await browser.session()).status, 401);
    await settings('PUT', `/identity-providers/${provider.id}`, { just_in_time: false });
    assert.equal(await openBrowser().signIn(idp, provider, 'bob'), '/sign-in?failed=not_allowed');
    await settings('PUT', `/identity-providers/${provider.id}`, { just_in_time: true });
  });

  await t.test(
    'if single sign-on is required, passwords and links are rejected for all but the owner, even without the provider',
    async () => {
      const strict = await createCompany();
      const login = await startIdentityProvider();
      const early = await strict.settings('PUT', '/account', { single_sign_on: 'required' });
      assert.deepEqual([early.status, early.error?.code], [409, 'INVALID_STATE'], 'there is no provider yet');
      const only = await strict.addProvider(login);
      await strict.prove('strict.example');
      const owner = await ownerOf(strict.account.id);
      const { id, token } = await makeUser(strict.account, 'fay@strict.example');
      const setPassword = async (headers: Record<string, string>, email?: string) =>
        assert.equal(
          (await gateway.send('POST', '/auth/password', { new_password: password, ...(email && { email }) }, { headers })).status,
          200,
        );
      await setPassword(await gateway.signIn(strict.account, owner), 'owner@strict.example');
      const signedIn = await gateway.send('POST', '/auth/sign-in', { token });
      const fay = { cookie: signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? '', 'x-csrf-token': signedIn.data.csrf_token };
      await setPassword(fay);
      const { token: invitation } = await makeUser(strict.account, 'gil@strict.example');
      const me = async () => (await gateway.call('/v2/me', { headers: fay })).status;
      assert.equal(await me(), 200);

      assert.equal((await strict.settings('PUT', '/account', { single_sign_on: 'required' })).data.single_sign_on, 'required');
      const byPassword = (email: string) => gateway.send('POST', '/auth/sign-in', { email, password });
      for (const refused of [await byPassword('fay@strict.example'), await gateway.send('POST', '/auth/sign-in', { token: invitation })])
        assert.deepEqual([refused.status, refused.error.details[0].code], [403, 'single_sign_on_required']);
      assert.equal((await byPassword('nobody@strict.example')).status, 401);
      mails.length = 0;
      for (const email of ['fay@strict.example', 'owner@strict.example'])
        assert.equal((await gateway.send('POST', '/auth/forgotten-password', { email })).status, 202);
      await eventually(async () => mails.some(({ to }) => to === 'owner@strict.example'));
      assert.deepEqual(
        mails.map(({ to }) => to),
        ['owner@strict.example'],
      );
      await eventually(async () => (await me()) === 401);

      login.people.set('fay', { email: 'fay@strict.example', email_verified: true });
      login.people.set('gil', { email: 'gil@strict.example', email_verified: true });
      const browser = openBrowser();
      await browser.signIn(login, only, 'fay');
      assert.equal((await browser.session()).data.user.id, id);
      const { data } = await openBrowser().visit('/auth/single-sign-on', { token: invitation });
      assert.deepEqual(data.providers, [{ id: only.id, name: 'Login' }], 'the refused invitation still starts single sign-on');

      await login.stop();
      assert.equal((await byPassword('owner@strict.example')).status, 200, 'the owner signs in with a password');
      const link = await gateway.stores.signInLinks.make(owner);
      assert.equal((await gateway.send('POST', '/auth/sign-in', { token: link })).status, 200, 'and with a link of the operator');
      await strict.settings('PUT', `/identity-providers/${only.id}`, { name: 'Reloaded' });
      assert.equal(await openBrowser().start(only), '503');
    },
  );
});
