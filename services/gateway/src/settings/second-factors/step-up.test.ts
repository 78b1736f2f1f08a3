import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { codeOf, password, startSecondFactors, wrongCode } from '../../../test/start-second-factors.ts';

test('what cannot be undone takes a recent proof', async (t) => {
  const setting = await startSecondFactors(t);
  const { send, call, person, makeKey, browserOf } = setting;
  const key = { name: 'page', permission: 'read_only' };

  await t.test('a session whose factor is older than 15 minutes creates no key until it is proven again', async () => {
    const { addTotp, browser, post, age, audited, account } = await person();
    const { secret } = await addTotp();
    const create = () => post('/v2/settings/api-keys', key);
    assert.equal((await create()).status, 201);
    await age(16);
    const refused = await eventually(async () => {
      const response = await create();
      return response.status === 403 ? response : undefined;
    });
    assert.equal(refused.error.code, 'SECOND_FACTOR_REQUIRED');
    assert.equal((await call('/v2/settings/api-keys', { headers: browser })).status, 200, 'reading continues');
    assert.equal(
      (await send('POST', '/v2/settings/api-keys', key, { key: await makeKey({ account }) })).status,
      201,
      'keys are not affected',
    );

    assert.equal((await post('/auth/step-up', { current_password: password })).status, 409, 'the password is not enough');
    assert.equal((await post('/auth/step-up', { code: wrongCode(secret) })).status, 400);
    assert.equal((await post('/auth/step-up', { code: codeOf(secret) }, { cookie: browser.cookie ?? '' })).status, 403, 'of another site');
    const proven = await post('/auth/step-up', { code: codeOf(secret) });
    assert.equal(proven.status, 200, proven.text);
    assert.equal((await create()).status, 201);
    assert.ok((await audited()).includes('user.identity_confirmed'));
  });

  await t.test('a passkey proves it, too', async () => {
    const { addPasskey, post, age } = await person();
    const passkey = await addPasskey();
    await age(16);
    assert.equal((await post('/auth/second-factors/recovery-codes')).error.code, 'SECOND_FACTOR_REQUIRED');
    const options = await post('/auth/step-up/options');
    assert.equal((await post('/auth/step-up', { passkey: passkey.prove(options.data) })).status, 200);
    assert.equal((await post('/auth/second-factors/recovery-codes')).status, 200);
  });

  await t.test('adding, removing and replacing factors takes one; without a factor, the password or a new sign-in', async () => {
    const { addTotp, post, age, user, account } = await person();
    await age(16);
    for (const path of ['totp', 'passkeys/options']) {
      const response = await post(`/auth/second-factors/${path}`, path === 'totp' ? { name: 'Phone' } : {});
      assert.deepEqual([response.status, response.error?.code], [403, 'SECOND_FACTOR_REQUIRED'], path);
    }
    assert.equal((await post('/auth/step-up', { current_password: 'wrong' })).status, 400);
    assert.equal((await post('/auth/step-up', { current_password: password })).status, 200);
    const { id } = await addTotp();
    await age(16);
    assert.equal((await post('/auth/second-factors/remove', { id })).error.code, 'SECOND_FACTOR_REQUIRED');
    const [factor] = await setting.stores.factors.list({ id: user.id, account_id: account.id });
    assert.ok(factor);
  });

  await t.test('a user without a factor keeps working as before', async () => {
    const { post, age } = await person();
    await age(60);
    assert.equal((await post('/v2/settings/api-keys', key)).status, 201);
  });

  await t.test('removing a factor ends the other sessions, and a factor that another session added does not prove this one', async () => {
    const { addTotp, addPasskey, post, email, browser } = await person();
    const other = browserOf(await setting.signInWith(email));
    const { factorId } = await addPasskey();
    const refused = await post('/auth/second-factors/recovery-codes', {}, other);
    assert.equal(refused.error.code, 'SECOND_FACTOR_REQUIRED');
    await addTotp();
    assert.equal((await post('/auth/second-factors/remove', { id: factorId })).status, 200);
    assert.deepEqual([(await call('/v2/me', { headers: other })).status, (await call('/v2/me', { headers: browser })).status], [401, 200]);
  });
});

test('an account that requires a second factor', async (t) => {
  const setting = await startSecondFactors(t);
  const { send, call, person, browserOf, signInWith } = setting;
  const owner = await person();
  const { account } = owner;
  const set = (second_factor: string) => send('PUT', '/v2/settings/account', { second_factor }, { headers: owner.browser });

  await t.test('is one whose owner has one', async () => {
    const refused = await set('required');
    assert.deepEqual([refused.status, refused.error.code], [409, 'INVALID_STATE']);
    const admin = await setting.makeKey({ account });
    assert.equal((await send('PUT', '/v2/settings/account', { second_factor: 'required' }, { key: admin })).status, 409);
    await owner.addTotp();
    const done = await set('required');
    assert.deepEqual([done.status, done.data.second_factor], [200, 'required'], done.text);
  });

  await t.test('lets a user without one do nothing but add one', async () => {
    const { email } = await person('admin', account);
    const response = await signInWith(email);
    const browser = browserOf(response);
    assert.equal(response.data.must_add_second_factor, true);
    assert.equal((await call('/auth/session', { headers: browser })).data.must_add_second_factor, true);
    for (const path of ['/v2/me', '/v2/contacts', '/v2/settings/account', '/auth/sessions'])
      assert.equal((await call(path, { headers: browser })).error.code, 'SECOND_FACTOR_REQUIRED', path);
    const post = (path: string, body: object = {}) => send('POST', path, body, { headers: browser });
    assert.equal((await post('/auth/password', { new_password: 'a new one, just as long' })).error.code, 'SECOND_FACTOR_REQUIRED');
    const { id, secret } = (await post('/auth/second-factors/totp', { name: 'Phone' })).data;
    const confirmed = await post('/auth/second-factors/totp/confirm', { id, code: codeOf(secret) });
    assert.deepEqual([confirmed.status, confirmed.data.session.must_add_second_factor], [200, false], confirmed.text);
    assert.equal((await call('/v2/me', { headers: browser })).status, 200);
    const last = await post('/auth/second-factors/remove', { id });
    assert.deepEqual([last.status, last.error.code], [409, 'INVALID_STATE']);
    assert.ok((await signInWith(email)).data.second_factor_due);
  });

  await t.test('can require it of owners and admins only', async () => {
    assert.equal((await set('required_for_admins')).status, 200);
    const [admin, viewer] = [await person('admin', account), await person('viewer', account)];
    const due = async (email: string) => (await signInWith(email)).data.must_add_second_factor;
    assert.deepEqual([await due(admin.email), await due(viewer.email)], [true, false]);
    const keys = await send('POST', '/v2/settings/roles', { name: 'Keys', scopes: ['settings:keys'] }, { headers: owner.browser });
    const given = await send('PUT', `/v2/settings/users/${viewer.user.id}`, { role: keys.data.id }, { headers: owner.browser });
    assert.equal(given.status, 200, given.text);
    assert.equal(await due(viewer.email), true, 'a custom role with a right of admins');
  });
});

test('a session that began before its user had a second factor', async (t) => {
  const { send, call, person, parts, browserOf, signInWith, status } = await startSecondFactors(t);

  await t.test('does nothing until the factor is proven there, however the factor came about', async () => {
    const { addTotp, email, post } = await person();
    const [early, other] = [browserOf(await signInWith(email)), browserOf(await signInWith(email))];
    const begun = await post('/auth/second-factors/totp', { name: 'Of somebody else' }, early);
    const { secret } = await addTotp();
    const due = async (response: ReturnType<typeof send>) => {
      const { status, error } = await response;
      assert.deepEqual([status, error?.code], [403, 'SECOND_FACTOR_REQUIRED']);
    };
    for (const path of ['/v2/me', '/v2/contacts', '/auth/sessions']) await due(call(path, { headers: early }));
    await due(post('/v2/contacts', { email: 'x@example.com' }, early));
    await due(post('/auth/sessions/revoke', { others: true }, early));
    await due(post('/auth/password', { new_password: 'a new one, just as long', current_password: password }, early));
    await due(post('/auth/second-factors/totp/confirm', { id: begun.data.id, code: codeOf(begun.data.secret) }, early));
    assert.equal((await post('/auth/step-up', { current_password: password }, early)).status, 409);

    assert.equal((await post('/auth/step-up/options', {}, early)).status, 200);
    assert.equal((await post('/auth/step-up', { code: codeOf(secret) }, early)).status, 200);
    assert.deepEqual([await status('/v2/me', early), await status('/auth/sessions', early)], [200, 200]);
    await due(call('/v2/me', { headers: other }));
  });

  await t.test('is not asked if an identity provider opened it', async () => {
    const { addTotp, email, user } = await person();
    const early = browserOf(await signInWith(email));
    await parts.mongo.db.collection('sessions').updateMany({ user_id: user.id }, { $set: { by: 'single_sign_on' } });
    await addTotp();
    assert.equal(await status('/v2/me', early), 200);
  });

  await t.test('is as weak after the factor was removed, even where it was proven', async () => {
    const owner = await person();
    await owner.addTotp();
    const { addTotp, post, browser } = await person('admin', owner.account);
    const { id } = await addTotp();
    assert.equal((await post('/auth/second-factors/remove', { id })).status, 200);
    assert.equal(await status('/v2/me', browser), 200);
    assert.equal((await send('PUT', '/v2/settings/account', { second_factor: 'required' }, { headers: owner.browser })).status, 200);
    await eventually(async () => (await call('/v2/me', { headers: browser })).error?.code === 'SECOND_FACTOR_REQUIRED');
    assert.equal((await call('/auth/session', { headers: browser })).data.must_add_second_factor, true);
  });
});

test('sessions', async (t) => {
  const { send, call, person, parts, browserOf, signInWith } = await startSecondFactors(t);

  await t.test('end after the lifetime that the account sets, however much they are used', async () => {
    const { browser } = await person();
    const changed = await send('PUT', '/v2/settings/account', { session_lifetime_hours: 8 }, { headers: browser });
    assert.deepEqual([changed.status, changed.data.session_lifetime_hours], [200, 8], changed.text);
    for (const session_lifetime_hours of [0, 169])
      assert.equal((await send('PUT', '/v2/settings/account', { session_lifetime_hours }, { headers: browser })).status, 400);
    const sessions = parts.mongo.db.collection('sessions');
    const openedBefore = (hours: number) =>
      sessions.updateMany({}, { $set: { created_at: new Date(Date.now() - hours * 3_600_000 - 60_000), used_at: new Date() } });
    await openedBefore(7);
    assert.equal((await call('/v2/me', { headers: browser })).status, 200);
    await openedBefore(8);
    await eventually(async () => (await call('/v2/me', { headers: browser })).status === 401);
  });

  await t.test('all end at once', async () => {
    const { post, browser, email } = await person();
    const other = browserOf(await signInWith(email));
    const ended = await post('/auth/sessions/revoke', { all: true });
    assert.equal(ended.data.ended, 2);
    assert.match(ended.headers.get('set-cookie') ?? '', /^mp_session=;/);
    for (const headers of [browser, other]) assert.equal((await call('/v2/me', { headers })).status, 401);
  });
});
