import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expiresIn } from '@mp/test-kit/expires-in';
import { codeOf, cookiesOf, password, startSecondFactors } from '../../test/start-second-factors.ts';
import type { AccountRow } from './accounts/account.ts';
import { invitedUser, newOwner } from './users/user.ts';

test('an address and password that are right in several accounts', async (t) => {
  const { send, call, stores, parts, makeAccount, makeKey, person, signInWith, browserOf, everythingStored } = await startSecondFactors(t);
  const origin = { correlationId: 't', causationId: null };
  const change = (account: AccountRow, to: Parameters<typeof stores.accounts.update>[2]) =>
    parts.mongo.transaction(origin, (tx) => stores.accounts.update(tx, account.id, to));

  /** A person with the same password in two accounts: the owner of one, a viewer in the other. And in a third, with another password. */
  async function consultant() {
    const first = await person();
    const [second, third] = [await makeAccount(), await makeAccount()];
    const { email, user } = first;
    const hash = (await stores.users.find(first.account.id, user.id))?.password ?? null;
    const twin = { ...invitedUser(second.id, { email, role: 'viewer' }), password: hash };
    const stranger = { ...newOwner(third.id), email, password: 'scrypt$1024$8$1$AAAA$AAAA' };
    for (const one of [twin, stranger]) await parts.mongo.transaction(origin, (tx) => stores.users.insert(tx, one));
    await change(first.account, { display_name: 'Shop' });
    await change(second, { display_name: 'Studio' });

    async function begin() {
      const response = await signInWith(email);
      assert.deepEqual([response.status, response.data?.csrf_token], [200, undefined], response.text);
      const [cookie = '', ...others] = cookiesOf(response);
      assert.match(cookie, /^mp_second_factor=/);
      assert.deepEqual(others, []);
      return { cookie, accounts: response.data.account_choice_due?.accounts };
    }
    const choose = (account: { id: string }, { cookie }: { cookie: string }) =>
      send('POST', '/auth/account-choice', { account_id: account.id }, { headers: { cookie } });
    const offered = async ({ cookie }: { cookie: string }) => call('/auth/account-choice', { headers: { cookie } });
    return { ...first, second, third, twin, begin, choose, offered };
  }

  await t.test('are offered by name and role, and the chosen one is signed in to', async () => {
    const { account, second, user, twin, email, begin, choose, offered } = await consultant();
    const begun = await begin();
    assert.deepEqual(begun.accounts, [
      { id: account.id, name: 'Shop', role: 'Owner' },
      { id: second.id, name: 'Studio', role: 'Viewer' },
    ]);
    assert.deepEqual((await offered(begun)).data.account_choice_due.accounts, begun.accounts);
    const chosen = await choose(second, begun);
    assert.ok(cookiesOf(chosen).includes('mp_second_factor='), 'its cookie is cleared');
    assert.equal((await call('/v2/me', { headers: browserOf(chosen) })).data.id, twin.id);
    assert.deepEqual(
      (await begin()).accounts.map(({ id }: { id: string }) => id),
      [second.id, account.id],
      'that of the last sign-in is the first',
    );
    const named = await send('POST', '/auth/sign-in', { email, password, account_id: account.id });
    assert.equal(named.data.user?.id, user.id, 'a sign-in that names the account asks nothing');

    const key = await makeKey({ account: second });
    const role = await send('POST', '/v2/settings/roles', { name: 'Author', scopes: ['campaigns:write'] }, { key });
    assert.equal((await send('PUT', `/v2/settings/users/${twin.id}`, { role: role.data.id }, { key })).status, 200);
    assert.equal((await begin()).accounts.find(({ id }: { id: string }) => id === second.id).role, 'Author');
  });

  await t.test('an account in which the password is wrong is neither named nor can be chosen', async () => {
    const { account, third, begin, choose } = await consultant();
    const begun = await begin();
    const [wrong, unknown] = [await choose(third, begun), await choose({ id: 'account_unknown' }, begun)];
    assert.deepEqual([wrong.status, wrong.error.details[0].path, wrong.headers.get('set-cookie')], [400, '/account_id', null]);
    assert.deepEqual({ ...wrong.error, request_id: '' }, { ...unknown.error, request_id: '' }, 'it is not said whether it exists');
    assert.equal((await choose(account, begun)).status, 200);
  });

  await t.test('a wrong password says nothing about accounts, like an unknown address', async () => {
    const { email } = await consultant();
    const wrong = await send('POST', '/auth/sign-in', { email, password: 'not the password' });
    const unknown = await send('POST', '/auth/sign-in', { email: 'nobody@example.com', password });
    assert.deepEqual([wrong.status, wrong.headers.get('set-cookie')], [401, null]);
    assert.deepEqual({ ...wrong.error, request_id: '' }, { ...unknown.error, request_id: '' });
  });

  await t.test('a choice works once, for ten minutes, even if two use it at the same moment', async () => {
    const { account, second, user, twin, begin, choose, offered } = await consultant();
    const sessions = () => parts.mongo.db.collection('sessions').countDocuments({ user_id: { $in: [user.id, twin.id] } });
    const before = await sessions();
    const begun = await begin();
    assert.equal(await sessions(), before, 'there is no session before');
    const both = await Promise.all([choose(account, begun), choose(second, begun)]);
    assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 401]);
    for (const one of [account, second]) assert.equal((await choose(one, begun)).status, 401);
    assert.equal((await offered(begun)).status, 401);
    assert.equal(await sessions(), before + 1);

    const late = await begin();
    const steps = parts.mongo.db.collection('sign_in_steps');
    const stored = await steps.findOne({ user_id: twin.id });
    assert.ok(expiresIn(stored?.expires_at, 600_000));
    await steps.updateMany({}, { $set: { expires_at: new Date(Date.now() - 1) } });
    assert.deepEqual([(await choose(account, late)).status, (await offered(late)).status], [401, 401]);
  });

  await t.test('a choice belongs to the browser that proved the password, and is nothing else', async () => {
    const [mine, theirs] = [await consultant(), await consultant()];
    const [begun, other] = [await mine.begin(), await theirs.begin()];
    assert.equal((await mine.choose(mine.account, { cookie: '' })).status, 401);
    assert.equal((await mine.choose(mine.account, { cookie: 'mp_second_factor=guessed' })).status, 401);
    assert.equal((await mine.choose(mine.account, other)).status, 400);
    const [, token = ''] = begun.cookie.split('=');
    assert.ok(!(await everythingStored()).includes(token));
    for (const cookie of [begun.cookie, `mp_session=${token}`])
      for (const path of ['/v2/me', '/auth/session', '/auth/second-factor'])
        assert.equal((await call(path, { headers: { cookie } })).status, 401, path);
    const elsewhere = { cookie: begun.cookie, 'sec-fetch-site': 'cross-site' };
    const forged = await send('POST', '/auth/account-choice', { account_id: mine.account.id }, { headers: elsewhere });
    assert.equal(forged.status, 403, 'another site cannot choose');
    assert.equal((await mine.choose(mine.account, begun)).status, 200);
  });

  await t.test('the second factor is due in the account that has one, after the choice', async () => {
    const { account, second, user, addTotp, begin, choose, offered, post } = await consultant();
    const { secret } = await addTotp();
    assert.ok((await choose(second, await begin())).data.user, 'the other account asks for none');
    const begun = await begin();
    const due = await choose(account, begun);
    assert.deepEqual(due.data, { second_factor_due: { methods: ['totp', 'recovery_code'] } });
    const [cookie = ''] = cookiesOf(due);
    assert.notEqual(cookie, begun.cookie);
    assert.equal((await offered(begun)).status, 401, 'the choice is used up');
    assert.equal((await post('/auth/second-factor', { code: codeOf(secret) }, begun)).status, 401);
    const opened = await post('/auth/second-factor', { code: codeOf(secret) }, { cookie });
    assert.equal((await call('/v2/me', { headers: browserOf(opened) })).data.id, user.id);
  });

  await t.test('an account that requires single sign-on refuses the password, and another one can be chosen', async () => {
    const { account, second, begin, choose } = await consultant();
    await change(second, { single_sign_on: 'required' });
    const begun = await begin();
    const refused = await choose(second, begun);
    assert.deepEqual([refused.status, refused.error.details[0].code], [403, 'single_sign_on_required']);
    assert.equal((await choose(account, begun)).status, 200);
  });

  await t.test('what has changed since the password was proven counts: suspended, removed, or a new password', async () => {
    const one = await consultant();
    const begun = await one.begin();
    await change(one.second, { status: 'suspended' });
    const opened = await one.choose(one.second, begun);
    const me = await call('/v2/me', { headers: browserOf(opened) });
    assert.deepEqual([me.status, me.error.code], [403, 'ACCOUNT_SUSPENDED']);

    const left = await consultant();
    const early = await left.begin();
    const key = await makeKey({ account: left.second });
    assert.equal((await send('DELETE', `/v2/settings/users/${left.twin.id}`, {}, { key })).status, 200);
    assert.equal((await left.choose(left.second, early)).status, 400);
    assert.deepEqual((await left.offered(early)).data.account_choice_due.accounts, [{ id: left.account.id, name: 'Shop', role: 'Owner' }]);
    const fresh = { new_password: `${password}!`, current_password: password };
    assert.equal((await left.post('/auth/password', fresh)).status, 200);
    assert.equal((await left.choose(left.account, early)).status, 401);
  });
});
