import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { startSingleSignOn } from '../../../test/start-single-sign-on.ts';

const newPassword = 'a long and unlikely sentence';
const origin = { correlationId: 'test', causationId: null };

test('single sign-on beside the other ways to sign in', async (t) => {
  const { gateway, mails, createCompany, openBrowser, makeUser, startIdentityProvider } = await startSingleSignOn(t);
  const { send, parts, stores } = gateway;
  const idp = await startIdentityProvider();
  const company = await createCompany();
  const { account, userOf } = company;
  const provider = await company.addProvider(idp, { just_in_time: true });
  await company.prove('acme.example');
  for (const name of ['ada', 'bob', 'carol']) idp.people.set(name, { email: `${name}@acme.example`, email_verified: true });

  await t.test('an open browser of a user without a password sets none, unless the user has just signed in', async () => {
    const browser = openBrowser();
    await browser.signIn(idp, provider, 'ada');
    const { csrf_token, user, needs_current_password } = (await browser.session()).data;
    assert.equal(needs_current_password, false);
    const headers = { cookie: [...browser.jar].map((pair) => pair.join('=')).join('; '), 'x-csrf-token': csrf_token };
    const set = () => send('POST', '/auth/password', { new_password: newPassword }, { headers });
    const sessions = parts.mongo.db.collection('sessions');
    await sessions.updateMany({ user_id: user.id }, { $set: { created_at: new Date(Date.now() - 16 * 60_000) } });
    const refused = await set();
    assert.deepEqual([refused.status, refused.error?.code], [403, 'SECOND_FACTOR_REQUIRED'], refused.text);
    assert.equal((await userOf('ada@acme.example'))?.password, null);
    await sessions.updateMany({ user_id: user.id }, { $set: { created_at: new Date() } });
    assert.equal((await set()).status, 200);
  });

  await t.test('an invited user who is linked by the domain leaves no invitation that still signs in', async () => {
    const { id, token } = await makeUser(account, 'bob@acme.example');
    const browser = openBrowser();
    await browser.signIn(idp, provider, 'bob');
    assert.equal((await browser.session()).data.user.id, id);
    assert.equal((await send('POST', '/auth/sign-in', { token })).status, 401);
  });

  await t.test('a user who has signed in before is told of the identity that was linked, even in a known browser', async () => {
    const { token } = await makeUser(account, 'dora@acme.example');
    const browser = openBrowser();
    assert.equal((await browser.visit('/auth/sign-in', { token })).status, 200);
    idp.people.set('dora', { email: 'dora@acme.example', email_verified: true });
    mails.length = 0;
    await browser.signIn(idp, provider, 'dora');
    await browser.signIn(idp, provider, 'dora');
    assert.deepEqual(
      mails.map(({ to, subject }) => [to, subject]),
      [['dora@acme.example', 'Single sign-on was set up for you']],
    );
  });

  await t.test('a suspended account links nobody, and its linked users can still sign in', async () => {
    await makeUser(account, 'carol@acme.example');
    const suspend = (status: 'active' | 'suspended') =>
      parts.mongo.transaction(origin, (tx) => stores.accounts.update(tx, account.id, { status }));
    await suspend('suspended');
    assert.equal(await openBrowser().signIn(idp, provider, 'carol'), '/sign-in?failed=not_allowed');
    assert.equal(await openBrowser().signIn(idp, provider, 'bob'), '/');
    await suspend('active');
    assert.equal(await eventually(async () => openBrowser().signIn(idp, provider, 'carol')), '/');
  });
});
