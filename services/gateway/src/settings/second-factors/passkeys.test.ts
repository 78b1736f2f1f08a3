import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expiresIn } from '@mp/test-kit/expires-in';
import { createSoftwarePasskey } from '../../../test/software-passkey.ts';
import { startSecondFactors } from '../../../test/start-second-factors.ts';

test('passkeys', async (t) => {
  const { send, parts, person, browserOf, mailWith, everythingStored } = await startSecondFactors(t);
  const attempts = parts.mongo.db.collection('sign_in_attempts');
  const options = async () => (await send('POST', '/auth/passkey/options')).data;
  const alone = (passkey: object) => send('POST', '/auth/passkey', { passkey });

  await t.test('a passkey that verifies the person signs in alone, and its user is told of it', async () => {
    const { addPasskey, user, email, audited } = await person();
    const passkey = await addPasskey();
    assert.equal(passkey.recoveryCodes.length, 10);
    const challenge = await options();
    assert.deepEqual([challenge.rpId, challenge.userVerification, challenge.allowCredentials], ['localhost', 'required', undefined]);
    const response = await alone(passkey.prove(challenge));
    browserOf(response);
    assert.equal(response.data.user.id, user.id);
    await mailWith('A passkey was added', email);
    assert.ok((await audited()).includes('user.second_factor_added'));
    assert.ok(!(await everythingStored()).includes(challenge.challenge));
  });

  await t.test('a passkey that does not verify the person signs in only after the first factor', async () => {
    const { addPasskey, begin, post } = await person();
    const passkey = await addPasskey();
    passkey.state.isVerifying = false;
    assert.equal((await alone(passkey.prove(await options()))).status, 401);
    const step = await begin();
    const challenge = (await post('/auth/second-factor/options', {}, step)).data;
    assert.deepEqual(
      challenge.allowCredentials.map(({ id }: { id: string }) => id),
      [passkey.id],
    );
    browserOf(await post('/auth/second-factor', { passkey: passkey.prove(challenge) }, step));
  });

  await t.test('a challenge is used once, ends after five minutes, and belongs to what it was made for', async () => {
    const { addPasskey, begin, post } = await person();
    const passkey = await addPasskey();
    const challenge = await options();
    browserOf(await alone(passkey.prove(challenge)));
    assert.equal((await alone(passkey.prove(challenge))).status, 401, 'used');

    const late = await options();
    const steps = parts.mongo.db.collection('sign_in_steps');
    const stored = await steps.findOne({ purpose: 'passkey_sign_in' });
    assert.ok(expiresIn(stored?.expires_at, 300_000));
    await steps.updateMany({}, { $set: { expires_at: new Date(Date.now() - 1) } });
    assert.equal((await alone(passkey.prove(late))).status, 401, 'late');
    assert.equal((await alone(passkey.prove({ challenge: 'made-up' }))).status, 401, 'made up');

    const ofSecondFactor = (await post('/auth/second-factor/options', {}, await begin())).data;
    assert.equal((await alone(passkey.prove(ofSecondFactor))).status, 401, 'of a second factor');
    const other = await person();
    await other.addTotp();
    const theirs = (await other.post('/auth/second-factor/options', {}, await other.begin())).data;
    const step = await begin();
    assert.equal((await post('/auth/second-factor', { passkey: passkey.prove(theirs) }, step)).status, 400, 'of another user');

    const wrong = await options();
    const tampered = passkey.prove(wrong);
    tampered.response.signature = createSoftwarePasskey().prove(wrong).response.signature;
    assert.equal((await alone(tampered)).status, 401);
    assert.equal((await alone(passkey.prove(wrong))).status, 401, 'used up by a wrong signature');
    await attempts.deleteMany({});
  });

  await t.test('a passkey works only on the host of the public URL', async () => {
    const { addPasskey } = await person();
    const passkey = await addPasskey();
    passkey.state.origin = 'http://phishing.example';
    assert.equal((await alone(passkey.prove(await options()))).status, 401);
  });

  await t.test('a passkey whose counter does not increase is rejected, because it may have been copied', async () => {
    const { addPasskey } = await person();
    const passkey = await addPasskey();
    browserOf(await alone(passkey.prove(await options())));
    passkey.state.counter = 0;
    assert.equal((await alone(passkey.prove(await options()))).status, 401);
    passkey.state.counter = 5;
    browserOf(await alone(passkey.prove(await options())));
  });

  await t.test('no certificate is read, and a passkey is registered once', async () => {
    const { post } = await person();
    const passkey = createSoftwarePasskey();
    const create = async (attestation?: Map<string, Uint8Array[]>) => {
      const response = await post('/auth/second-factors/passkeys/options');
      return post('/auth/second-factors/passkeys', { name: 'Key', passkey: passkey.create(response.data, attestation) });
    };
    const certified = await create(new Map([['x5c', [new Uint8Array(4)]]]));
    assert.deepEqual([certified.status, certified.error.details[0].path], [400, '/passkey']);
    assert.equal((await create()).status, 200);
    assert.equal((await create()).status, 409);
  });

  await t.test('are renamed and removed, only by their user', async () => {
    const { addPasskey, addTotp, post, browser, audited, email } = await person();
    const { factorId: id } = await addPasskey();
    await addTotp();
    const stranger = await person();
    await stranger.addTotp();
    assert.equal((await stranger.post('/auth/second-factors/rename', { id, name: 'Mine' })).status, 404);
    assert.equal((await stranger.post('/auth/second-factors/remove', { id })).status, 404);
    assert.equal((await post('/auth/second-factors/rename', { id, name: 'YubiKey' })).data.name, 'YubiKey');
    assert.equal((await post('/auth/second-factors/remove', { id })).status, 200);
    const { items } = (await send('GET', '/auth/second-factors', {}, { headers: browser })).data;
    assert.deepEqual(
      items.map(({ kind }: { kind: string }) => kind),
      ['totp'],
    );
    assert.match((await mailWith('A second factor was removed', email)).text, /"YubiKey"/);
    const actions = await audited();
    for (const action of ['user.second_factor_renamed', 'user.second_factor_removed']) assert.ok(actions.includes(action), action);
  });
});
