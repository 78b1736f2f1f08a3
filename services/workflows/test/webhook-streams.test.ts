import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { contextHeader, signContext } from '@mp/contracts/context';
import { ContactErased } from '@mp/contracts/events/contacts';
import { AccountChanged } from '@mp/contracts/events/platform';
import type { Scope } from '@mp/contracts/permissions';
import { newId } from '@mp/ids';
import type { Client } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { contextKeys } from '@mp/test-kit/test-parts';
import { publicId, webhookService } from './webhooks.ts';

type Message = { id: string; event: string; data: ReturnType<typeof JSON.parse> };

/** The messages of an open stream, as they arrive. */
async function openStream(t: TestContext, origin: string, { accountId }: Client, query = '', scopes: Scope[] | null = null) {
  const path = `/v2/webhooks/stream${query}`;
  const context = {
    ...{ account_id: accountId, principal_id: newId('key'), permission: 'read_only' as const, scopes },
    ...{ request_id: newId('request'), expires_at: Date.now() + 60_000 },
  };
  const leaving = new AbortController();
  t.after(() => leaving.abort());
  const response = await fetch(origin + path, {
    headers: { [contextHeader]: signContext(contextKeys, context, 'GET', path), accept: 'text/event-stream' },
    signal: leaving.signal,
  });
  const messages: Message[] = [];
  const state = { messages, lastId: '', ended: false, leave: () => leaving.abort(), status: response.status };
  const read = async () => {
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
        state.lastId = field('id') ?? state.lastId;
        const data = field('data');
        if (data !== undefined) messages.push({ id: state.lastId, event: field('event') ?? '', data: JSON.parse(data) });
      }
    }
  };
  void read()
    .catch(() => undefined)
    .finally(() => {
      state.ended = true;
    });
  if (response.ok) await eventually(async () => state.lastId !== '');
  return state;
}

test('a stream of events', async (t) => {
  const service = await webhookService(t);
  const origin = await service.app.listen({ host: '127.0.0.1', port: 0 });
  const open = (test: TestContext, account: Client, query?: string, scopes?: Scope[]) => openStream(test, origin, account, query, scopes);
  const idsOf = ({ messages }: { messages: Message[] }) => messages.map(({ data }) => data.id);

  await guaranteeRoute(t, service.app, { method: 'GET', scope: 'webhooks:read', url: () => '/v2/webhooks/stream' });
  await guaranteeRoute(t, service.app, {
    method: 'POST',
    scope: 'webhooks:read',
    url: () => '/v2/webhooks/trigger',
    body: { type: 'contact.created' },
  });

  await t.test('has what happens in the account while it is open, by type, in the form of webhooks', async (t) => {
    const [account, other] = [service.account(), service.account()];
    const [all, segments] = [await open(t, account), await open(t, account, '?events=segment.*,contact.deleted')];
    await service.contactCreated(other);
    const created = await service.contactCreated(account, { email: 'ada@example.com' });
    const entered = await service.play.enterSegment(account.accountId, newId('segment'), newId('contact'));
    await eventually(async () => all.messages.length === 2 && segments.messages.length === 1);
    assert.deepEqual(idsOf(all).sort(), [created, entered].map(publicId).sort());
    assert.deepEqual(idsOf(segments), [publicId(entered)]);
    const [message] = all.messages.filter(({ event }) => event === 'contact.created');
    assert.deepEqual([message?.data.account_id, message?.data.data.email], [account.accountId, 'ada@example.com']);
  });

  await t.test('has only what the scopes of the credential read, even when it resumes a stream of another credential', async (t) => {
    const account = service.account();
    const scopes: Scope[] = ['webhooks:read', 'segments:read'];
    const [all, some] = [await open(t, account), await open(t, account, '', scopes)];
    const enter = () => service.play.enterSegment(account.accountId, newId('segment'), newId('contact'));
    const created = await service.contactCreated(account, { email: 'ada@example.com' });
    const entered = await enter();
    await eventually(async () => all.messages.length === 2 && some.messages.length === 1);
    assert.deepEqual(idsOf(some), [publicId(entered)]);

    const taken = await open(t, account, `?after=${all.lastId.split('.')[0]}.0`, scopes);
    await eventually(async () => taken.messages.length === 1 && all.ended);
    await service.contactCreated(account);
    const later = await enter();
    await eventually(async () => taken.messages.length === 2);
    assert.deepEqual(idsOf(taken), [entered, later].map(publicId));
    const again = await open(t, account, `?after=${all.lastId.split('.')[0]}.0`);
    await eventually(async () => again.messages.length === 4);
    assert.ok(idsOf(again).includes(publicId(created)), 'nothing is lost for a credential that may read it');

    const only = account.as({ permission: 'read_only', scopes });
    const refused = await only.get('/v2/webhooks/stream?events=segment.*,contact.created');
    assert.deepEqual([refused.status, refused.error.code], [403, 'FORBIDDEN']);
    assert.match(refused.error.message, /^contact\.created: .*contacts:read/);
    assert.match(
      (await account.as({ permission: 'read_write' }).get('/v2/webhooks/stream?events=api_key.*')).error.message,
      /permission admin/,
    );
  });

  await t.test('continues with every event after its connection was lost, each with its own number', async (t) => {
    const account = service.account();
    const first = await open(t, account);
    const sent = [await service.contactCreated(account)];
    await eventually(async () => first.messages.length === 1);
    first.leave();
    await eventually(async () => first.ended);
    sent.push(await service.contactCreated(account), await service.contactCreated(account));
    const second = await open(t, account, `?after=${first.lastId}`);
    await eventually(async () => second.messages.length >= 2);
    assert.deepEqual([...idsOf(first), ...idsOf(second)].sort(), sent.map(publicId).sort());
    assert.deepEqual(
      second.messages.map(({ id }) => id.split('.')[1]),
      ['2', '3'],
    );
    const again = await open(t, account, `?after=${first.lastId}`);
    await eventually(async () => again.messages.length >= 2 && second.ended);
    assert.deepEqual(idsOf(again), idsOf(second), 'what was sent to a lost connection is sent again');
  });

  await t.test('ends a minute after its connection was lost, and says so', async (t) => {
    const account = service.account();
    const stream = await open(t, account);
    stream.leave();
    service.pass(61_000);
    const resumed = await account.get(`/v2/webhooks/stream?after=${stream.lastId}`);
    assert.deepEqual([resumed.status, resumed.error.code], [409, 'INVALID_STATE']);
    const foreign = await service.account().get(`/v2/webhooks/stream?after=${stream.lastId}`);
    assert.deepEqual({ ...foreign.error, request_id: '' }, { ...resumed.error, request_id: '' });
  });

  await t.test('without Accept: text/event-stream, returns the events so far and ends', async () => {
    const account = service.account();
    const first = await account.get('/v2/webhooks/stream');
    const [, id = ''] = /id: (\S+)/.exec(first.text) ?? [];
    assert.deepEqual([first.status, first.headers['content-type']], [200, 'text/event-stream; charset=utf-8']);
    const event = await service.contactCreated(account);
    await eventually(async () => (await account.get(`/v2/webhooks/stream?after=${id}`)).text.includes(publicId(event)));
  });

  await t.test('ends when the account opens its sixth', async (t) => {
    const account = service.account();
    const oldest = await open(t, account);
    const others = await Promise.all(Array.from({ length: 5 }, () => open(t, account)));
    await eventually(async () => oldest.ended);
    assert.ok(others.every(({ ended }) => !ended));
  });

  await t.test('opens for an account while another one reads many', async (t) => {
    const reader = service.account();
    const reads = Array.from({ length: 30 }, () => reader.get('/v2/webhooks/stream'));
    assert.equal((await open(t, service.account())).status, 200);
    assert.deepEqual([...new Set((await Promise.all(reads)).map(({ status }) => status))], [200]);
  });

  await t.test('ends when the account is suspended, without later events', async (t) => {
    const account = service.account();
    const { accountId } = account;
    const stream = await open(t, account);
    const changed = { account_id: accountId, status: 'suspended' as const, revision: 2 };
    await service.play.publish(AccountChanged, accountId, changed);
    await eventually(async () => stream.ended);
    await service.contactCreated(account);
    const resumed = await open(t, account, `?after=${stream.lastId}`);
    await eventually(async () => resumed.ended);
    assert.deepEqual([...stream.messages, ...resumed.messages], []);
  });

  await t.test('receives events that the client triggers', async (t) => {
    const account = service.account();
    const stream = await open(t, account, '?events=campaign.*');
    const { data } = await account.post('/v2/webhooks/trigger', { type: 'campaign.completed' });
    assert.equal(data.streams, 1);
    assert.equal((await account.post('/v2/webhooks/trigger', { type: 'contact.created' })).data.streams, 0);
    await eventually(async () => stream.messages.length === 1);
    const [message] = stream.messages;
    assert.deepEqual([message?.data.id, message?.data.test, message?.event], [data.event_id, true, 'campaign.completed']);
  });

  await t.test('stores nothing about an erased contact', async (t) => {
    const account = service.account();
    const stream = await open(t, account);
    const id = newId('contact');
    await service.contactCreated(account, { id, email: 'erase-me@example.com' });
    await eventually(async () => stream.messages.length === 1);
    await service.play.publish(ContactErased, account.accountId, {
      erasure_id: newId('erasure'),
      contact_id: id,
      merged_ids: [],
      revision: 9,
    });
    await eventually(async () => stream.messages.some(({ event }) => event === 'contact.erased'));
    await eventually(async () => {
      const stored = await service.parts.mongo.db.collection('webhook_stream_events').find({ account_id: account.accountId }).toArray();
      return !JSON.stringify(stored).includes('erase-me');
    });
  });

  await t.test('rejects unknown types and ids by name', async () => {
    const account = service.account();
    assert.match((await account.get('/v2/webhooks/stream?events=contact.renamed')).text, /Unknown event type/);
    assert.match((await account.get('/v2/webhooks/stream?after=7')).text, /stream_….7/);
    assert.match((await account.post('/v2/webhooks/trigger', { type: 'contact.*' })).text, /type/);
  });
});
