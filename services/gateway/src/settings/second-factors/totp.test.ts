import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, startSecondFactors, wrongCode } from '../../../test/start-second-factors.ts';
import { newTotpSecret, stepOf } from './totp.ts';

test('a code is right for one step before and after its own, and not for two', () => {
  const secret = newTotpSecret();
  const now = new Date();
  const steps = [-2, -1, 0, 1, 2].map((drift) => stepOf(codeOf(secret, drift), secret, now) !== undefined);
  assert.deepEqual(steps, [false, true, true, true, false]);
});

test('an authenticator app', async (t) => {
  const { send, parts, stores, person, browserOf, everythingStored, mailWith, signInWith } = await startSecondFactors(t);

  await t.test('counts once a code has confirmed it, and its secret is shown once and stored encrypted', async () => {
    const { post, user, email, browser, audited } = await person();
    const begun = await post('/auth/second-factors/totp', { name: 'Phone' });
    const { id, secret, url } = begun.data;
    assert.match(url, /^otpauth:\/\/totp\/.*secret=[A-Z2-7]{32}&/);
    assert.ok(url.includes(encodeURIComponent(email)));
    browserOf(await signInWith(email));
    const wrong = await post('/auth/second-factors/totp/confirm', { id, code: wrongCode(secret) });
    assert.deepEqual([wrong.status, wrong.error.details[0].path], [400, '/code']);
    browserOf(await signInWith(email));

    const confirmed = await post('/auth/second-factors/totp/confirm', { id, code: codeOf(secret) });
    assert.equal(confirmed.status, 200, confirmed.text);
    assert.equal(confirmed.data.session.has_second_factor, true);
    assert.equal(confirmed.data.recovery_codes.length, 10);
    assert.equal((await signInWith(email)).data.csrf_token, undefined);
    const listed = await send('GET', '/auth/second-factors', {}, { headers: browser });
    assert.deepEqual([listed.data.items[0].name, listed.data.recovery_codes_left, listed.data.required], ['Phone', 10, false]);
    assert.ok(!listed.text.includes(secret));
    const stored = await everythingStored();
    assert.ok(!stored.includes(secret) && !confirmed.data.recovery_codes.some((code: string) => stored.includes(code)));
    await mailWith('An authenticator app was added', email);
    assert.ok((await audited()).includes('user.second_factor_added'));
    assert.equal((await stores.users.find(user.account_id, user.id))?.has_second_factor, true);
  });

  await t.test('signs in with a code, which is accepted once', async () => {
    const { addTotp, begin, post } = await person();
    const { secret } = await addTotp();
    const code = codeOf(secret);
    const [first, second] = [await begin(), await begin()];
    browserOf(await post('/auth/second-factor', { code: ` ${code.slice(0, 3)} ${code.slice(3)}` }, first));
    const replayed = await post('/auth/second-factor', { code }, second);
    assert.deepEqual([replayed.status, replayed.error.details[0].path], [400, '/code']);
    const earlier = await post('/auth/second-factor', { code: codeOf(secret, -1) }, second);
    assert.equal(earlier.status, 400);
    browserOf(await post('/auth/second-factor', { code: codeOf(secret, 1) }, second));
  });

  await t.test('accepts a code once even if two requests send it at the same moment', async () => {
    const { addTotp, user } = await person();
    await addTotp();
    const [factor] = await stores.factors.list(user);
    assert.equal(factor?.kind, 'totp');
    const use = () =>
      parts.mongo.transaction({ correlationId: 't', causationId: null }, async (tx) =>
        factor?.kind === 'totp' ? stores.factors.useStep(tx, factor, factor.last_step + 1, new Date()) : false,
      );
    assert.deepEqual((await Promise.all([use(), use(), use()])).toSorted(), [false, false, true]);
  });

  await t.test('is guessed as slowly as a password', async () => {
    const { addTotp, begin, post } = await person();
    const { secret } = await addTotp();
    const step = await begin();
    for (let guess = 0; guess < 5; guess += 1)
      assert.equal((await post('/auth/second-factor', { code: wrongCode(secret) }, step)).status, 400);
    const attempts = parts.mongo.db.collection('sign_in_attempts');
    await attempts.updateMany({ failures: { $gte: 5 } }, { $set: { failures: 11, last_at: new Date() } });
    const right = await post('/auth/second-factor', { code: codeOf(secret) }, step);
    assert.deepEqual([right.status, right.error.code], [429, 'RATE_LIMITED']);
    await attempts.deleteMany({});
    browserOf(await post('/auth/second-factor', { code: codeOf(secret) }, step));
  });

  await t.test('is sealed with the new key when the gateway starts after a change of the keyring', async () => {
    const { addTotp, user } = await person();
    await addTotp();
    const [before] = await stores.factors.list(user);
    const collection = parts.mongo.db.collection<{ _id: string; sealed_secret: string }>('second_factors');
    const { createFactorsStore } = await import('./factors-store.ts');
    const { createTotpSecrets } = await import('./totp.ts');
    const keyring = { signing: 'new', keys: new Map([...parts.contextKeys.keys, ['new', Buffer.alloc(32, 9)] as const]) };
    await createFactorsStore(parts.mongo.db, createTotpSecrets(keyring)).resealSecrets();
    const after = await collection.findOne({ _id: before?._id ?? '' });
    assert.match(after?.sealed_secret ?? '', /^new\./);
  });
});
