import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotifyEffectCompleted } from '@mp/contracts/events/platform';
import { NotifyEffectRequested } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import { createMetrics } from '@mp/service-kit/metrics';
import { testParts } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import { buildApp } from '../../app.ts';
import type { Mail, Mailer } from '../users/mailer.ts';
import { onNotifyRequested } from './on-notify-requested.ts';

test('a user whom a workflow notifies', async (t) => {
  const mails: Mail[] = [];
  const mailer = { send: async (mail: Mail) => void mails.push(mail) };
  const gateway = await startTestGateway(t, { mailer });
  const { mongo, outbox } = gateway.parts;
  const account = await gateway.makeAccount();
  const key = await gateway.makeKey({ account, permission: 'admin' });
  const invite = async (email: string) => (await gateway.send('POST', '/v2/settings/users', { email, role: 'editor' }, { key })).data;
  let now = Date.now();

  async function request(
    user_id: string,
    { effect_key = `${newId('run')}:1`, given = { mailer } }: { effect_key?: string; given?: { mailer: Mailer } } = {},
  ) {
    const { users, notifications } = gateway.stores;
    const react = onNotifyRequested({ users, notifications, outbox, ...given, publicUrl: 'https://mp.example.com', now: () => now }).react;
    const effect = { effect_key, run_id: 'run_1', workflow_id: 'workflow_1', contact_id: 'contact_1' };
    const data = NotifyEffectRequested.data.parse({ ...effect, user_id, subject: 'A large\norder', text: 'Ada ordered.' });
    const envelope = { id: newId('event'), type: NotifyEffectRequested.type, version: 1, time: new Date(now).toISOString() };
    const origin = { account_id: account.id, correlation_id: 'test', causation_id: null, producer: 'workflows' };
    await mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => react(tx, { ...envelope, ...origin, data }));
    const written = (await writtenEvents(mongo.db, { accountId: account.id })).map(({ envelope }) => envelope);
    const results = written.flatMap(({ type, data }) =>
      type === NotifyEffectCompleted.type ? NotifyEffectCompleted.data.parse(data) : [],
    );
    return results.filter((result) => result.effect_key === effect_key).map(({ status, reason }) => reason ?? status);
  }

  await t.test('gets one email per key with a link to the run, and every request a result', async () => {
    const { id } = await invite('ada@example.com');
    mails.length = 0;
    const effect_key = `${newId('run')}:1`;
    assert.deepEqual(await request(id, { effect_key }), ['done']);
    assert.deepEqual(await request(id, { effect_key }), ['done', 'done']);
    assert.deepEqual(mails, [
      { to: 'ada@example.com', subject: 'A large order', text: 'Ada ordered.\n\nhttps://mp.example.com/workflows/runs/run_1' },
    ]);
  });

  await t.test('gets at most 100 emails an hour', async () => {
    const { id } = await invite('busy@example.com');
    mails.length = 0;
    const earlier = Array.from({ length: 99 }, () => ({
      _id: newId('run'),
      account_id: account.id,
      user_id: id,
      refused: null,
      at: new Date(now),
    }));
    await mongo.db.collection<{ _id: string }>('notifications').insertMany(earlier);
    assert.deepEqual(await request(id), ['done']);
    assert.deepEqual(await request(id), ['The user got 100 notifications within an hour.']);
    now += 3_600_001;
    assert.deepEqual(await request(id), ['done']);
    assert.equal(mails.length, 2);
  });

  await t.test('must belong to the account, and needs a mail server', async () => {
    const { id } = await invite('bo@example.com');
    mails.length = 0;
    const other = await gateway.makeAccount();
    const foreign = await gateway.send(
      'POST',
      '/v2/settings/users',
      { email: 'eve@example.com', role: 'editor' },
      {
        key: await gateway.makeKey({ account: other, permission: 'admin' }),
      },
    );
    mails.length = 0;
    for (const user of [newId('user'), String(foreign.data.id)]) {
      assert.deepEqual(await request(user), ['The account has no such user with an email address.']);
    }
    assert.deepEqual(await request(id, { given: { mailer: undefined } }), ['The platform has no mail server.']);
    assert.deepEqual(mails, []);
  });
});

test('in MAINTENANCE mode notifications wait: nothing consumes the requests', async (t) => {
  const parts = await testParts(t, 'gateway');
  const consumersOf = (maintenance: boolean) => {
    const config = { host: '127.0.0.1', port: 0, publicUrl: 'http://localhost:8080', services: {}, trustedProxies: [] };
    const { consumers } = buildApp({ ...parts, metrics: createMetrics('gateway'), maintenance }, config);
    return consumers.map(({ name }) => name);
  };
  assert.deepEqual(
    [consumersOf(false), consumersOf(true)].map((names) => names.includes('gateway-notifications')),
    [true, false],
  );
});
