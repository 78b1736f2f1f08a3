import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expiresIn } from '@mp/test-kit/expires-in';
import { codeOf, cookiesOf, password, startSecondFactors, wrongCode } from '../../../test/start-second-factors.ts';

test('signing in with a second factor', async (t) => {
  const setting = await startSecondFactors(t);
  const { send, call, stores, parts, person, browserOf, mails, mailWith, status, everythingStored } = setting;
  const steps = parts.mongo.db.collection('sign_in_steps');

  await t.test('between the factors, a browser can do nothing but prove the second', async () => {
    const { addTotp, begin } = await person();
    await addTotp();
    const step = await begin();
    const [, token = ''] = step.cookie?.split('=') ?? [];
    assert.ok(!(await everythingStored()).includes(token));
    for (const cookie of [step.cookie ?? '', `mp_session=${token}`]) {
      const headers = { cookie, 'x-csrf-token': 'x' };
      for (const path of ['/v2/me', '/v2/contacts', '/auth/session', '/auth/sessions', '/auth/second-factors'])
        assert.equal(await status(path, headers), 401, path);
      for (const path of [
        ...['/auth/password', '/auth/session', '/auth/sessions/revoke', '/auth/step-up', '/auth/step-up/options'],
        ...['totp', 'totp/confirm', 'passkeys', 'passkeys/options', 'rename', 'remove', 'recovery-codes'].map(
          (name) => `/auth/second-factors/${name}`,
        ),
      ]) {
        const bodies = [{}, { id: 'x' }, { id: 'x', name: 'x' }, { id: 'x', code: '000000' }, { name: 'x' }, { code: '000000' }];
        for (const body of [...bodies, { others: true }, { new_password: password }]) {
          const response = await send('POST', path, body, { headers });
          assert.ok([400, 401].includes(response.status), `${path} ${response.text}`);
        }
      }
      assert.equal((await send('POST', '/v2/settings/api-keys', { name: 'x', permission: 'admin' }, { headers })).status, 401);
    }
  });

  await t.test('the step ends after ten minutes and works once, and the session is always a new one', async () => {
    const { addTotp, begin, post, browser } = await person();
    const { secret } = await addTotp();
    const late = await begin();
    const stored = await steps.findOne({ purpose: 'second_factor' }, { sort: { expires_at: -1 } });
    assert.ok(expiresIn(stored?.expires_at, 600_000));
    await steps.updateMany({}, { $set: { expires_at: new Date(Date.now() - 1) } });
    assert.equal((await post('/auth/second-factor', { code: codeOf(secret) }, late)).status, 401);

    const step = await begin();
    // As if somebody had planted a session that they know.
    const planted = { cookie: `${step.cookie}; ${browser.cookie}` };
    const response = await post('/auth/second-factor', { code: codeOf(secret) }, planted);
    const opened = browserOf(response);
    assert.notEqual(opened.cookie, browser.cookie);
    assert.ok(cookiesOf(response).includes('mp_second_factor='), 'its cookie is cleared');
    assert.equal((await post('/auth/second-factor', { code: codeOf(secret, 1) }, step)).status, 401);
    assert.equal((await call('/v2/me', { headers: opened })).status, 200);
    const [session] = (await call('/auth/sessions', { headers: opened })).data.items;
    assert.deepEqual([session.current, session.by, session.second_factor], [true, 'password', 'totp']);
  });

  await t.test('a recovery code works once, in any spelling, and its use is emailed', async () => {
    const { addTotp, begin, post, email, browser, audited } = await person();
    const { recoveryCodes } = await addTotp();
    const [code = ''] = recoveryCodes;
    assert.match(code, /^(?:[0-9a-z]{4}-){3}[0-9a-z]{4}$/);
    browserOf(await post('/auth/second-factor', { recovery_code: code.toUpperCase().replaceAll('-', ' ') }, await begin()));
    const again = await post('/auth/second-factor', { recovery_code: code }, await begin());
    assert.deepEqual([again.status, again.error.details[0].path], [400, '/recovery_code']);
    assert.match((await mailWith('A recovery code was used', email)).text, /Codes left: 9\./);
    const replaced = await post('/auth/second-factors/recovery-codes');
    assert.equal(new Set([...recoveryCodes, ...replaced.data.recovery_codes]).size, 20);
    assert.equal((await post('/auth/second-factor', { recovery_code: recoveryCodes[1] }, await begin())).status, 400);
    await mailWith('Your recovery codes were replaced', email);
    const listed = await call('/auth/second-factors', { headers: browser });
    assert.equal(listed.data.recovery_codes_left, 10);
    const actions = await audited();
    for (const action of ['user.recovery_code_used', 'user.recovery_codes_replaced']) assert.ok(actions.includes(action), action);
  });

  await t.test('no link and no new address is a way around the second factor', async () => {
    const { addTotp, user, email, post, account } = await person('viewer');
    const { secret } = await addTotp();
    const isDue = async (token: string, how: string) => {
      const response = await send('POST', '/auth/sign-in', { token });
      assert.deepEqual([response.status, response.data.csrf_token], [200, undefined], how);
      assert.deepEqual(response.data.second_factor_due.methods, ['totp', 'recovery_code'], how);
      assert.ok(!cookiesOf(response).some((cookie) => cookie.startsWith('mp_session')), how);
    };
    await isDue(await stores.signInLinks.make(user), 'a printed link');
    await isDue(await stores.signInLinks.make(user, { kind: 'invitation' }), 'an invitation');
    mails.length = 0;
    await send('POST', '/auth/forgotten-password', { email });
    const forgotten = await mailWith('Sign in and set a new password', email);
    await isDue(/#token=([\w-]+)/.exec(forgotten.text)?.[1] ?? '', 'a forgotten password');

    const fresh = { new_password: `${password}!`, current_password: password, email: 'new@example.com' };
    assert.equal((await post('/auth/password', fresh)).status, 200);
    const confirm = await mailWith('Confirm your new email address', 'new@example.com');
    const proven = await send('POST', '/auth/email', { token: /#token=([\w-]+)/.exec(confirm.text)?.[1] ?? '' });
    assert.deepEqual([proven.status, proven.headers.get('set-cookie')], [200, null]);
    const moved = await send('POST', '/auth/sign-in', { email: 'new@example.com', password: fresh.new_password });
    assert.ok(moved.data.second_factor_due, moved.text);
    const admin = await setting.makeKey({ account });
    const invited = await send('POST', `/v2/settings/users/${user.id}/invite`, {}, { key: admin });
    assert.equal(invited.status, 409, 'an active user is not invited again');
    const finished = await post('/auth/second-factor', { code: codeOf(secret) }, { cookie: cookiesOf(moved)[0] ?? '' });
    assert.equal((await call('/v2/me', { headers: browserOf(finished) })).data.id, user.id);
  });

  await t.test('a new password ends what was begun with the old one', async () => {
    const { addTotp, begin, post } = await person();
    const { secret } = await addTotp();
    const step = await begin();
    assert.equal((await post('/auth/password', { new_password: `${password}?`, current_password: password })).status, 200);
    assert.equal((await post('/auth/second-factor', { code: codeOf(secret) }, step)).status, 401);
  });

  await t.test('a wrong code says no more than that it is wrong, and leaves the step', async () => {
    const { addTotp, begin, post } = await person();
    const { secret } = await addTotp();
    const step = await begin();
    const wrong = await post('/auth/second-factor', { code: wrongCode(secret) }, step);
    assert.deepEqual([wrong.status, wrong.error.details[0].path, wrong.headers.get('set-cookie')], [400, '/code', null]);
    assert.equal((await post('/auth/second-factor', { code: '12345' }, step)).status, 400);
    browserOf(await post('/auth/second-factor', { code: codeOf(secret) }, step));
  });
});
