import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import type { Mail } from './mailer.ts';
import { invitedUser } from './user.ts';

const password = 'correct horse battery staple';
const linkIn = (mail: Mail) => /#token=([\w-]+)/.exec(mail.text)?.[1] ?? '';

async function setting(t: Parameters<typeof startTestGateway>[0]) {
  const mails: Mail[] = [];
  const gateway = await startTestGateway(t, { mailer: { send: async (mail) => void mails.push(mail) } });
  const { parts, stores, makeAccount, send } = gateway;
  const account = await makeAccount('starter');
  const user = invitedUser(account.id, { email: 'ada@example.com', role: 'admin' });
  await parts.mongo.transaction({ correlationId: 't', causationId: null }, (tx) => stores.users.insert(tx, user));
  const browser = await gateway.signIn(account, user);
  const set = await send('POST', '/auth/password', { new_password: password }, { headers: browser });
  assert.equal(set.status, 200, set.text);

  return {
    ...gateway,
    account,
    user,
    browser,
    mails,
    mailWith: (subject: string) => eventually(async () => mails.find((mail) => mail.subject === subject)),
    signInFrom: async (userAgent: string, email = 'ada@example.com') =>
      send('POST', '/auth/sign-in', { email, password }, { headers: { 'user-agent': userAgent } }),
    /** As if the session had last been used so long ago. */
    leave: (minutes: number) =>
      parts.mongo.db.collection('sessions').updateMany({}, { $set: { used_at: new Date(Date.now() - minutes * 60_000) } }),
  };
}

test('a session ends after the time without use that the account sets, for the dashboard and the API', async (t) => {
  const { call, send, browser, leave } = await setting(t);
  const status = async (path: string) => (await call(path, { headers: browser })).status;
  const changed = await send('PUT', '/v2/settings/account', { session_idle_minutes: 30 }, { headers: browser });
  assert.deepEqual([changed.status, changed.data.session_idle_minutes], [200, 30], changed.text);
  for (const minutes of [0, 4, 10_081]) {
    const refused = await send('PUT', '/v2/settings/account', { session_idle_minutes: minutes }, { headers: browser });
    assert.equal(refused.status, 400, `${minutes} minutes`);
  }
  await leave(29);
  assert.deepEqual([await status('/auth/session'), await status('/v2/me')], [200, 200]);
  await leave(31);
  // A gateway may use a credential that it has just read for ten seconds.
  await eventually(async () => (await status('/v2/me')) === 401 && (await status('/auth/session')) === 401);
});

test('using the dashboard keeps a session, and a page that only refreshes itself does not', async (t) => {
  const { call, send, browser, leave, parts } = await setting(t);
  const sessions = parts.mongo.db.collection('sessions');
  await leave(60);
  assert.equal((await call('/v2/me', { headers: browser })).status, 200);
  assert.equal((await call('/auth/session', { headers: browser })).status, 200);
  const unchanged = await sessions.findOne({});
  assert.ok(unchanged?.used_at < new Date(Date.now() - 59 * 60_000));
  assert.equal((await send('POST', '/auth/session', {}, { headers: browser })).status, 200);
  const used = await sessions.findOne({});
  assert.ok(used?.used_at > new Date(Date.now() - 60_000));
  const { 'x-csrf-token': _, ...forged } = browser;
  assert.equal((await send('POST', '/auth/session', {}, { headers: forged })).status, 403, 'another site cannot keep a session alive');
});

test('people are told of a sign-in from a new browser, and not of one from a known browser', async (t) => {
  const { mails, mailWith, signInFrom } = await setting(t);
  assert.equal((await signInFrom('Firefox')).status, 200);
  const notice = await mailWith('New sign-in to your account');
  assert.equal(notice.to, 'ada@example.com');
  assert.match(notice.text, /Browser: Firefox/);
  assert.equal((await signInFrom('Firefox')).status, 200);
  assert.equal((await signInFrom('Safari')).status, 200);
  await eventually(async () => mails.filter(({ subject }) => subject.startsWith('New sign-in')).length === 2);
});

test('people are told that their password was changed', async (t) => {
  const { send, browser, mails, mailWith } = await setting(t);
  assert.deepEqual(mails, [], 'the first password is not a change');
  const changed = await send('POST', '/auth/password', { new_password: `${password}!`, current_password: password }, { headers: browser });
  assert.equal(changed.status, 200, changed.text);
  assert.equal((await mailWith('Your password was changed')).to, 'ada@example.com');
});

test('a changed sign-in address counts once it is proven with the link that is emailed there, and the old address is told', async (t) => {
  const { send, browser, mails, mailWith, signInFrom } = await setting(t);
  const change = (email: string) =>
    send('POST', '/auth/password', { new_password: password, current_password: password, email }, { headers: browser });
  const replaced = await change('first@example.com');
  assert.deepEqual([replaced.data.user.email, replaced.data.email_to_prove], ['ada@example.com', 'first@example.com'], replaced.text);
  const first = await mailWith('Confirm your new email address');
  mails.length = 0;
  await change('lovelace@example.com');
  const mail = await mailWith('Confirm your new email address');
  assert.equal(mail.to, 'lovelace@example.com');
  assert.deepEqual([(await signInFrom('a', 'lovelace@example.com')).status, (await signInFrom('a')).status], [401, 200]);

  const confirm = (token: string) => send('POST', '/auth/email', { token });
  assert.equal((await confirm(linkIn(first))).status, 401, 'the newer change replaces the earlier one');
  assert.deepEqual((await confirm(linkIn(mail))).data, { email: 'lovelace@example.com' });
  assert.equal((await confirm(linkIn(mail))).status, 401, 'a link works once');
  assert.equal((await mailWith('Your email address was changed')).to, 'ada@example.com');
  assert.deepEqual([(await signInFrom('a', 'lovelace@example.com')).status, (await signInFrom('a')).status], [200, 401]);
});

test('a new address that was asked for before the suspension of the account is not taken during it', async (t) => {
  const { send, browser, mailWith, parts, stores, account, signInFrom } = await setting(t);
  const body = { new_password: password, current_password: password, email: 'lovelace@example.com' };
  assert.equal((await send('POST', '/auth/password', body, { headers: browser })).status, 200);
  const token = linkIn(await mailWith('Confirm your new email address'));
  const suspend = (status: 'suspended' | 'active') =>
    parts.mongo.transaction({ correlationId: 't', causationId: null }, (tx) => stores.accounts.update(tx, account.id, { status }));
  await suspend('suspended');
  const refused = await send('POST', '/auth/email', { token });
  assert.deepEqual([refused.status, refused.error.code], [403, 'ACCOUNT_SUSPENDED']);
  await suspend('active');
  assert.equal((await send('POST', '/auth/email', { token })).status, 200, 'the link still works then');
  assert.equal((await signInFrom('a', 'lovelace@example.com')).status, 200);
});

test('an address that another user of the account has cannot be taken', async (t) => {
  const { send, browser, parts, stores, account, mails } = await setting(t);
  const other = invitedUser(account.id, { email: 'grace@example.com', role: 'viewer' });
  await parts.mongo.transaction({ correlationId: 't', causationId: null }, (tx) => stores.users.insert(tx, other));
  const body = { new_password: `${password}?`, current_password: password, email: 'grace@example.com' };
  const refused = await send('POST', '/auth/password', body, { headers: browser });
  assert.deepEqual([refused.status, refused.error.code], [409, 'CONFLICT']);
  assert.deepEqual(mails, []);
});

test('without a mail server, a new address cannot be proven and the operator changes it', async (t) => {
  const { send, makeAccount, stores, parts, signIn } = await startTestGateway(t);
  const account = await makeAccount();
  const user = invitedUser(account.id, { email: 'ada@example.com', role: 'admin' });
  await parts.mongo.transaction({ correlationId: 't', causationId: null }, (tx) => stores.users.insert(tx, user));
  const body = { new_password: password, email: 'new@example.com' };
  const refused = await send('POST', '/auth/password', body, { headers: await signIn(account, user) });
  assert.deepEqual([refused.status, refused.error.code], [409, 'INVALID_STATE']);
  assert.match(refused.error.message, /npm run user -- move/);
});
