import assert from 'node:assert/strict';
import { randomBytes, scryptSync } from 'node:crypto';
import { test } from 'node:test';
import { expiresIn } from '@mp/test-kit/expires-in';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import { waitAfter } from './attempts-store.ts';
import type { Mail } from './mailer.ts';
import { hashPassword, isPassword } from './password.ts';
import { invitedUser, newOwner, SignInEmail } from './user.ts';

const password = 'correct horse battery staple';

/** A hash with a lower cost, as created by an earlier release. Still valid, and faster for the tests. */
function quickHash(word: string) {
  const salt = randomBytes(16);
  const [N, r, p] = [2 ** 10, 8, 1];
  return ['scrypt', N, r, p, salt.toString('base64url'), scryptSync(word, salt, 32, { N, r, p }).toString('base64url')].join('$');
}

test('a password is stored as a slow hash with its own salt', async () => {
  const [one, two] = await Promise.all([hashPassword(password), hashPassword(password)]);
  assert.notEqual(one, two);
  assert.match(one, /^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
  assert.deepEqual(await Promise.all([isPassword(password, one), isPassword(`${password} `, one), isPassword(password, null)]), [
    true,
    false,
    false,
  ]);
});

test('after the allowed failures, the wait doubles, up to 15 minutes', () => {
  assert.deepEqual(
    [0, 4, 5, 6, 7, 10, 15, 60].map((failures) => waitAfter(failures, 5)),
    [0, 0, 1_000, 2_000, 4_000, 32_000, 900_000, 900_000],
  );
});

test('signing in with a password', async (t) => {
  const mails: Mail[] = [];
  let mailed = Promise.withResolvers<void>();
  const mailer = {
    send: async (mail: Mail) => {
      mails.push(mail);
      mailed.resolve();
    },
  };
  const gateway = await startTestGateway(t, { mailer });
  const { call, send, stores, makeAccount } = gateway;
  const signIn = (email: string, word: string, more: object = {}) => send('POST', '/auth/sign-in', { email, password: word, ...more });
  const cookieOf = (response: Awaited<ReturnType<typeof call>>): Record<string, string> => ({
    cookie: response.headers.get('set-cookie')?.split(';', 1)[0] ?? '',
    'x-csrf-token': response.data.csrf_token,
  });
  let addresses = 0;

  const hash = quickHash(password);

  /** Creates a user with this role and a password. */
  async function person(role: 'owner' | 'viewer' = 'owner') {
    addresses += 1;
    const email = `ada${addresses}@example.com`;
    const account = await makeAccount('starter');
    const user = { ...(role === 'owner' ? newOwner(account.id) : invitedUser(account.id, { email, role })), email, password: hash };
    await gateway.parts.mongo.transaction({ correlationId: 't', causationId: null }, (tx) => stores.users.insert(tx, user));
    return { account, user, email, browser: await gateway.signIn(account, user) };
  }

  await t.test('nobody changes a password in a suspended account, by session or by email', async () => {
    const [one, other] = [await person(), await person()];
    const suspend = (status: 'suspended' | 'active') =>
      gateway.parts.mongo.transaction({ correlationId: 't', causationId: null }, (tx) =>
        stores.accounts.update(tx, one.account.id, { status }),
      );
    await suspend('suspended');
    const change = { new_password: `${password} 2`, current_password: password };
    const refused = await send('POST', '/auth/password', change, { headers: one.browser });
    assert.deepEqual([refused.status, refused.error?.code], [403, 'ACCOUNT_SUSPENDED']);
    assert.equal((await stores.users.find(one.account.id, one.user.id))?.password, hash);
    for (const { email } of [one, other]) assert.equal((await send('POST', '/auth/forgotten-password', { email })).status, 202);
    await mailed.promise;
    mailed = Promise.withResolvers<void>();
    assert.deepEqual(
      mails.splice(0).map(({ to }) => to),
      [other.email],
    );
    await suspend('active');
    assert.equal((await send('POST', '/auth/password', change, { headers: one.browser })).status, 200);
  });

  await t.test('a user who signed in with a link sets a password and signs in with it, in any spelling of the address', async () => {
    const account = await makeAccount('starter');
    const user = newOwner(account.id);
    const email = 'ada@example.com';
    await gateway.parts.mongo.transaction({ correlationId: 't', causationId: null }, (tx) => stores.users.insert(tx, user));
    const headers = await gateway.signIn(account, user);
    const set = await send('POST', '/auth/password', { new_password: password, email }, { headers });
    assert.deepEqual([set.status, set.data?.has_password, set.data?.user.email], [200, true, email], set.text);
    const response = await signIn(email.toUpperCase(), password);
    assert.equal(response.status, 200, response.text);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.deepEqual([response.data.user.id, response.data.account_id, response.data.needs_current_password], [user.id, account.id, true]);
    assert.equal((await call('/v2/me', { headers: cookieOf(response) })).data.id, user.id);
    const stored = await gateway.everythingStored();
    assert.ok(!stored.includes(password));
  });

  await t.test('an owner without an email address must give one; passwords have at least twelve characters', async () => {
    const account = await makeAccount();
    const browser = await gateway.signIn(account);
    for (const [body, path] of [
      [{ new_password: password }, '/email'],
      [{ new_password: 'short', email: 'x@example.com' }, '/new_password'],
      [{ new_password: 'password1234', email: 'x@example.com' }, '/new_password'],
      [{ new_password: 'x.long.name@example.com', email: 'X.long.name@example.com' }, '/new_password'],
      [{ new_password: password, email: 'nobody' }, '/email'],
    ] as const) {
      const response = await send('POST', '/auth/password', body, { headers: browser });
      assert.deepEqual([response.status, response.error.details[0].path], [400, path]);
    }
    const { 'x-csrf-token': _, ...forged } = browser;
    assert.equal(
      (await send('POST', '/auth/password', { new_password: password, email: 'x@example.com' }, { headers: forged })).status,
      403,
    );
    assert.equal((await send('POST', '/auth/password', { new_password: password, email: 'x@example.com' })).status, 401);
  });

  await t.test('a wrong password and an unknown address get the same response', async () => {
    const { email } = await person();
    const [wrong, unknown] = [await signIn(email, 'not the password'), await signIn('nobody@example.com', password)];
    assert.deepEqual([wrong.status, wrong.error.code], [401, 'UNAUTHORIZED']);
    assert.deepEqual({ ...wrong.error, request_id: '' }, { ...unknown.error, request_id: '' });
    assert.equal(wrong.headers.get('set-cookie'), null);
  });

  await t.test('after failures the wait grows, even for the right password', async () => {
    const { email } = await person();
    for (let index = 0; index < 5; index += 1) assert.equal((await signIn(email, `wrong ${index}`)).status, 401);
    const attempts = gateway.parts.mongo.db.collection('sign_in_attempts');
    /** Sets the number and age of the failures. The ages are far apart, so that slow machines pass too. */
    const guessed = async (failures: number, secondsAgo: number) =>
      attempts.updateMany({ failures: { $gte: 5 } }, { $set: { failures, last_at: new Date(Date.now() - secondsAgo * 1_000) } });
    assert.ok((await guessed(11, 0)).matchedCount > 0, 'the five failures were counted');
    const locked = await signIn(email, password);
    assert.deepEqual([locked.status, locked.error.code], [429, 'RATE_LIMITED']);
    const first = Number(locked.headers.get('retry-after'));
    assert.ok(first > 32 && first <= 64, `${first}`);
    await guessed(11, 65);
    assert.equal((await signIn(email, 'wrong again')).status, 401);
    const second = Number((await signIn(email, password)).headers.get('retry-after'));
    assert.ok(second > 64 && second <= 128, `${second}`);
    await guessed(12, 129);
    assert.equal((await signIn(email, password)).status, 200);
    assert.equal((await signIn(email, 'wrong once more')).status, 401, 'a success clears the failures');
  });

  await t.test('of concurrent guesses only one is checked', async () => {
    const { email } = await person();
    const responses = await Promise.all(Array.from({ length: 10 }, (_, index) => signIn(email, `wrong ${index}`)));
    const looked = responses.filter(({ status }) => status === 401).length;
    assert.ok(looked >= 1 && looked <= 5, `${looked} were looked at`);
    assert.ok(responses.every(({ status }) => status === 401 || status === 429));
  });

  await t.test('changing the password needs the current one and ends all other sessions on every gateway', async () => {
    const { email, browser } = await person();
    const other = cookieOf(await signIn(email, password));
    assert.equal((await call('/v2/me', { headers: browser })).status, 200);
    const change = (body: object) => send('POST', '/auth/password', { new_password: `${password}!`, ...body }, { headers: other });
    assert.equal((await change({})).error.details[0].path, '/current_password');
    assert.equal((await change({ current_password: 'wrong' })).status, 400);
    assert.equal((await change({ current_password: password })).status, 200);
    assert.equal((await call('/v2/me', { headers: browser })).status, 401);
    assert.equal((await call('/v2/me', { headers: other })).status, 200);
    assert.deepEqual([(await signIn(email, password)).status, (await signIn(email, `${password}!`)).status], [401, 200]);
  });

  await t.test('a forgotten password is reset with an emailed link, which works once, within an hour', async () => {
    const { user, email, browser } = await person('viewer');
    mailed = Promise.withResolvers();
    mails.length = 0;
    const response = await send('POST', '/auth/forgotten-password', { email });
    const unknown = await send('POST', '/auth/forgotten-password', { email: 'nobody@example.com' });
    assert.deepEqual([response.status, response.body], [202, unknown.body]);
    await mailed.promise;
    assert.deepEqual(
      mails.map(({ to }) => to),
      [email],
    );
    const [, token = ''] = /http:\/\/localhost:8080\/sign-in#token=([\w-]{43})/.exec(mails[0]?.text ?? '') ?? [];
    const link = await gateway.parts.mongo.db.collection('sign_in_links').findOne({ user_id: user.id });
    assert.ok(expiresIn(link?.expires_at, 3_600_000));

    const opened = await send('POST', '/auth/sign-in', { token });
    assert.deepEqual([opened.status, opened.data.has_password, opened.data.needs_current_password], [200, true, false]);
    const fresh = { new_password: 'a new one, just as long' };
    assert.equal((await send('POST', '/auth/password', fresh, { headers: cookieOf(opened) })).status, 200);
    assert.equal((await call('/v2/me', { headers: browser })).status, 401);
    assert.equal((await signIn(email, fresh.new_password)).status, 200);
    assert.equal((await send('POST', '/auth/sign-in', { token })).status, 401);

    const again = () => send('POST', '/auth/forgotten-password', { email: 'often@example.com' });
    for (let index = 0; index < 3; index += 1) assert.equal((await again()).status, 202);
    // The waits begin with a second, which a busy machine may need for one request, and double.
    let refused = await again();
    while (refused.status === 202) refused = await again();
    assert.equal(refused.status, 429);
  });

  await t.test('a link replaces the current password for only 15 minutes', async () => {
    const { user, account } = await person();
    const browser = await gateway.signIn(account, user);
    await gateway.parts.mongo.db
      .collection('sessions')
      .updateMany({ user_id: user.id }, { $set: { created_at: new Date(Date.now() - 901_000) } });
    const response = await send('POST', '/auth/password', { new_password: 'another one, long' }, { headers: browser });
    assert.deepEqual([response.status, response.error.details[0].path], [400, '/current_password']);
  });

  await t.test('an address in two accounts signs in to the one with this password, or the one it names', async () => {
    const { account, user, email } = await person();
    const second = await makeAccount();
    const twin = { ...newOwner(second.id), email, password: quickHash('the other password') };
    await gateway.parts.mongo.transaction({ correlationId: 't', causationId: null }, (tx) => stores.users.insert(tx, twin));
    assert.equal((await signIn(email, 'the other password')).data.user.id, twin.id);
    assert.equal((await signIn(email, password)).data.user.id, user.id);
    assert.equal((await signIn(email, password, { account_id: second.id })).status, 401);
    assert.equal((await signIn(email, password, { account_id: account.id })).status, 200);
  });

  await t.test('having a victim’s address in another account does not allow more guesses', async () => {
    const victim = await person();
    const account = await makeAccount();
    const browser = await gateway.signIn(account);
    const own = 'the password of a thief';
    const set = await send('POST', '/auth/password', { new_password: own, email: victim.email }, { headers: browser });
    assert.equal(set.status, 200);
    for (let index = 0; index < 5; index += 1) assert.equal((await signIn(victim.email, `wrong ${index}`)).status, 401);
    const attempts = gateway.parts.mongo.db.collection('sign_in_attempts');
    const guessed = (failures: number) => attempts.updateMany({}, { $set: { failures, last_at: new Date(Date.now() - 65_000) } });
    await guessed(20);
    assert.equal((await signIn(victim.email, own)).status, 429);
    await guessed(11);
    const mine = await signIn(victim.email, own);
    assert.deepEqual([mine.status, mine.data.account_id], [200, account.id]);
    // A success in one account clears the failures of that account only.
    assert.equal((await signIn(victim.email, password)).status, 401, 'the right password is not checked while the victim’s account waits');
    assert.equal((await signIn(victim.email, password, { account_id: victim.account.id })).status, 429);
    assert.equal((await signIn(victim.email, own)).data.account_id, account.id);
  });

  await t.test('lists sessions, and ends one or all others', async () => {
    const { email, browser } = await person();
    const others = [cookieOf(await signIn(email, password)), cookieOf(await signIn(email, password))];
    const list = async () => (await call('/auth/sessions', { headers: browser })).data.items;
    const items = await list();
    assert.deepEqual(
      items.map(({ current, by }: { current: boolean; by: string }) => [current, by]),
      [
        [false, 'password'],
        [false, 'password'],
        [true, 'link'],
      ],
    );
    assert.equal(items[0].address, '127.0.0.1');
    const end = (body: object) => send('POST', '/auth/sessions/revoke', body, { headers: browser });
    assert.equal((await end({ id: 'session_unknown' })).status, 404);
    assert.equal((await end({ id: items[0].id })).data.ended, 1);
    const alive = async (headers: Record<string, string>) => (await call('/v2/me', { headers })).status;
    assert.deepEqual((await Promise.all(others.map(alive))).toSorted(), [200, 401]);
    assert.equal((await end({ others: true })).data.ended, 1);
    assert.deepEqual(await Promise.all([...others, browser].map(alive)), [401, 401, 200]);
    assert.equal((await list()).length, 1);
  });

  await t.test('addresses are compared in lower case', () => {
    assert.equal(SignInEmail.parse(' Ada@Example.COM '), 'ada@example.com');
  });
});

test('without a mail server, a forgotten password needs the operator', async (t) => {
  const { send } = await startTestGateway(t);
  const response = await send('POST', '/auth/forgotten-password', { email: 'ada@example.com' });
  assert.deepEqual([response.status, response.error.code], [409, 'INVALID_STATE']);
  assert.match(response.error.message, /npm run user -- reset/);
});
