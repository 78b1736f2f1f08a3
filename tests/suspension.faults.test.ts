import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { MongoClient } from 'mongodb';
import { startMailSink } from './mail-sink.ts';
import { startPlatform } from './platform.ts';

const from = { email: 'news@example.com', name: 'News' };
const minute = 60_000;
const people = 16;

test('a suspended account starts nothing in any service, other accounts continue, and it resumes when the suspension ends', async (t) => {
  const sink = await startMailSink(t);
  const called: string[] = [];
  const receiver = createServer((request, response) => {
    called.push(request.url ?? '');
    request.resume();
    response.end('{}');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  t.after(() => void receiver.close());
  const address = receiver.address();
  const hooks = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const platform = await startPlatform(t, { env: { SMTP_URL: sink.url, WEBHOOK_ALLOW_PRIVATE: 'true' } });
  const mongo = new MongoClient(platform.infra.mongoUrl);
  t.after(() => mongo.close());

  /** An account with work of every kind in progress. */
  async function customer(name: string) {
    const client = await platform.client('--permission', 'admin', '--account', name);
    let keys = 0;
    /** Retries, because on a busy machine a request between services may time out. */
    const ok = async (method: string, path: string, body?: object | string, headers: Record<string, string> = {}) => {
      keys += 1;
      const sent = { ...headers, ...(method === 'POST' && { 'idempotency-key': `write-${keys}` }) };
      const { status, data, text } = await eventually(async () => {
        const response = await client.call(method, path, body, sent);
        return response.status === 503 || response.error?.code === 'IDEMPOTENCY_IN_PROGRESS' ? undefined : response;
      }, 2 * minute);
      assert.ok(status >= 200 && status < 300, `${status} ${text}`);
      return data;
    };
    const contacts = Array.from({ length: people }, (_, n) => ({ email: `p${n}@${name}.example`, first_name: 'Ada' }));
    const { results } = await ok('POST', '/v2/contacts/batch', { contacts });
    const definition = { all: [{ field: 'first_name', op: 'eq', value: 'Ada' }] };
    const segment = await ok('POST', '/v2/segments', { name: 'Ada', definition });
    await eventually(async () => (await ok('GET', `/v2/segments/${segment.id}`)).count === people, minute);
    const campaign = async (subject: string, more: object = {}) => {
      const body = { name: subject, subject, from, html: '<p>Hello</p>', audience: { include: [segment.id] }, ...more };
      return (await ok('POST', '/v2/campaigns', body)).id;
    };
    const workflow = await ok('POST', '/v2/workflows', {
      name: 'Calls',
      trigger: { type: 'manual' },
      steps: [
        { id: 'wait', type: 'delay', for: 'PT40S', next: 'call' },
        { id: 'call', type: 'webhook', url: `${hooks}/${name}`, next: 'tag' },
        { id: 'tag', type: 'add_tag', tag: 'called' },
      ],
    });
    return {
      client,
      ok,
      async begin() {
        await ok('POST', `/v2/campaigns/${await campaign('Slow', { throttle_per_minute: 30 })}/send`);
        const later = new Date(Date.now() + 40_000).toISOString();
        await ok('POST', `/v2/campaigns/${await campaign('Scheduled')}/send`, { schedule_at: later });
        await ok('POST', `/v2/workflows/${workflow.id}/trigger`, { contact_id: results[0].id });
      },
      mails: (subject: string) => contacts.filter(({ email }) => sink.to(email).some((mail) => mail.subject === subject)).length,
      calls: () => called.filter((path) => path === `/${name}`).length,
    };
  }

  const statusOf = async (service: string) => {
    const found = await mongo.db(`${platform.namespace}_${service}`).collection('account_statuses').findOne({});
    return found?.status;
  };
  const set = (status: 'active' | 'suspended') => platform.command('account.ts', 'set', '--account', 'held', '--status', status);
  const obeyed = (status: 'active' | 'suspended') =>
    eventually(async () => {
      const known = await Promise.all(['campaigns', 'workflows', 'contacts'].map(statusOf));
      return known.every((one) => one === status);
    }, minute);
  const [held, neighbour] = [await customer('held'), await customer('neighbour')];
  await held.begin();
  await eventually(async () => held.mails('Slow') >= 1, minute);
  await set('suspended');
  await obeyed('suspended');

  await neighbour.begin();
  // After a few emails of the other account, nothing of the suspended account is in flight.
  await eventually(async () => neighbour.mails('Slow') >= 3, 3 * minute);
  const before = held.mails('Slow');
  assert.ok(before < people, 'the campaign was still sending');

  await t.test('nothing is sent during the suspension, and the other account is served', async () => {
    await eventually(async () => neighbour.mails('Scheduled') === people && neighbour.calls() === 1, 2 * minute);
    await eventually(async () => neighbour.mails('Slow') === people, 3 * minute);
    assert.deepEqual([held.mails('Slow'), held.mails('Scheduled'), held.calls()], [before, 0, 0]);
    assert.equal((await held.client.get('/v2/contacts')).error?.code, 'ACCOUNT_SUSPENDED');
  });

  await t.test('a restart during the suspension changes nothing', async () => {
    for (const name of ['campaigns', 'workflows'] as const) {
      await platform.stop(name);
      await platform.start(name);
    }
    await neighbour.begin();
    await eventually(async () => neighbour.calls() === 2, 2 * minute);
    assert.deepEqual([held.mails('Slow'), held.mails('Scheduled'), held.calls()], [before, 0, 0]);
  });

  await t.test('everything resumes when the suspension ends', async () => {
    await set('active');
    await eventually(async () => held.mails('Slow') === people && held.mails('Scheduled') === people && held.calls() === 1, 2 * minute);
    for (const subject of ['Slow', 'Scheduled'])
      for (let n = 0; n < people; n += 1) assert.equal(sink.to(`p${n}@held.example`).filter((mail) => mail.subject === subject).length, 1);
  });
});
