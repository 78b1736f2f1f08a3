import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { createSoftwarePasskey } from '../../../test/software-passkey.ts';
import { codeOf, password, startSecondFactors } from '../../../test/start-second-factors.ts';
import { hashPassword } from '../users/password.ts';

test('sign-ins that overlap with changes', async (t) => {
  const setting = await startSecondFactors(t);
  const { send, person, parts, stores, signInWith } = setting;
  const users = parts.mongo.db.collection('users');
  const attempts = parts.mongo.db.collection('sign_in_attempts');

  /** Signs in; the change happens after the user was read and before the password is checked. */
  async function signInDuring(email: string, change: () => Promise<unknown>) {
    await attempts.deleteMany({});
    const busy = Array.from({ length: 8 }, () => hashPassword('keeps the processor busy'));
    const signingIn = signInWith(email);
    await eventually(async () => (await attempts.countDocuments({})) === 2);
    await change();
    const [response] = await Promise.all([signingIn, ...busy]);
    return response;
  }

  await t.test('a factor that is added while the password is checked is due', async () => {
    const { email, user } = await person();
    const response = await signInDuring(email, () => users.updateOne({ email }, { $set: { has_second_factor: true } }));
    assert.ok(response.data?.second_factor_due, response.text);
    assert.equal(await parts.mongo.db.collection('sessions').countDocuments({ user_id: user.id }), 1);
  });

  await t.test('a password that is replaced while it is checked does not sign in', async () => {
    const { email } = await person();
    const other = await hashPassword('another sentence of the user');
    const response = await signInDuring(email, () => users.updateOne({ email }, { $set: { password: other } }));
    assert.deepEqual([response.status, response.error?.message], [401, 'The email address or password is wrong.']);
  });

  await t.test('of two removals at the same moment, the second sees the first', async () => {
    const { addTotp, addPasskey, post, user, email } = await person();
    const { id } = await addTotp();
    const { factorId } = await addPasskey();
    const removed = await Promise.all([id, factorId].map((one) => post('/auth/second-factors/remove', { id: one })));
    assert.deepEqual(removed.map(({ status }) => status).toSorted(), [200, 200]);
    assert.equal((await stores.users.find(user.account_id, user.id))?.has_second_factor, false);
    assert.equal((await signInWith(email)).data.second_factor_due, undefined);
  });

  await t.test('two authenticator apps confirmed at the same moment bring recovery codes once', async () => {
    const { post } = await person();
    const { id, secret } = (await post('/auth/second-factors/totp', { name: 'Phone' })).data;
    const confirm = () => post('/auth/second-factors/totp/confirm', { id, code: codeOf(secret) });
    const done = await Promise.all([confirm(), confirm(), confirm()]);
    assert.equal(done.filter(({ status }) => status === 200).length, 1);
    assert.equal((await post('/auth/step-up', { current_password: password })).status, 409);
  });

  await t.test('of two first factors that two sessions add at the same moment, the second is refused', async () => {
    const { post, email } = await person();
    const other = setting.browserOf(await signInWith(email));
    const { id, secret } = (await post('/auth/second-factors/totp', { name: 'Phone' })).data;
    const options = await post('/auth/second-factors/passkeys/options', {}, other);
    const passkey = createSoftwarePasskey().create(options.data);
    const done = await Promise.all([
      post('/auth/second-factors/totp/confirm', { id, code: codeOf(secret) }),
      post('/auth/second-factors/passkeys', { name: 'Key', passkey }, other),
    ]);
    assert.deepEqual(done.map(({ status }) => status).toSorted(), [200, 403]);
  });

  await t.test('one recovery code and one code of an app finish one sign-in each', async () => {
    const { addTotp, begin } = await person();
    const { secret, recoveryCodes } = await addTotp();
    for (const proof of [{ recovery_code: recoveryCodes[0] }, { code: codeOf(secret) }]) {
      const steps = [await begin(), await begin()];
      const responses = await Promise.all(steps.map((headers) => send('POST', '/auth/second-factor', proof, { headers })));
      assert.equal(responses.filter(({ status }) => status === 200).length, 1, JSON.stringify(responses.map(({ text }) => text)));
    }
  });

  await t.test('a passkey or a begun step opens no session once the account requires single sign-on', async () => {
    const owner = await person();
    const { addPasskey, addTotp, begin, email } = await person('admin', owner.account);
    const passkey = await addPasskey();
    const { secret } = await addTotp();
    const step = await begin();
    await parts.mongo.transaction({ correlationId: 't', causationId: null }, (tx) =>
      stores.accounts.update(tx, owner.account.id, { single_sign_on: 'required' }),
    );
    const options = await send('POST', '/auth/passkey/options', {});
    const refused = [
      await send('POST', '/auth/passkey', { passkey: passkey.prove(options.data) }),
      await send('POST', '/auth/second-factor', { code: codeOf(secret) }, { headers: step }),
      await signInWith(email),
    ];
    assert.deepEqual(
      refused.map(({ status, headers }) => [status, headers.get('set-cookie')]),
      refused.map(() => [403, null]),
    );
  });
});
