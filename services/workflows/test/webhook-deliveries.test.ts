import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { ContactErased } from '@mp/contracts/events/contacts';
import { NotifyEffectRequested } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { Webhook } from 'standardwebhooks';
import { publicId, recorder, webhookService } from './webhooks.ts';

const run = promisify(execFile);
const minute = 60_000;
const day = 24 * 60 * minute;

test('a webhook receives the events it subscribes to', async (t) => {
  const service = await webhookService(t);
  const { play } = service;

  await t.test('signed as Standard Webhooks defines it, with the contact as the API shows it', async (t) => {
    const account = service.account();
    const { received, url } = await recorder(t);
    const { secret, id } = await service.create(account, url, { headers: { Authorization: 'Bearer mine' } });
    const event = await service.contactCreated(account, { email: 'ada@example.com' });
    await eventually(async () => received.length === 1);
    const [{ headers, body, payload } = assert.fail()] = received;
    const verified = new Webhook(secret).verify(body, headers as Record<string, string>);
    assert.deepEqual(verified, payload);
    assert.deepEqual(
      [payload.id, payload.type, payload.account_id, payload.timestamp, payload.cause, payload.data.email],
      [publicId(event), 'contact.created', account.accountId, event.time, 'api', 'ada@example.com'],
    );
    assert.deepEqual([headers['webhook-id'], headers.authorization], [payload.id, 'Bearer mine']);
    assert.throws(() => new Webhook(secret).verify(`${body} `, headers as Record<string, string>));
    const delivery = await eventually(async () => {
      const { data } = await account.get(`/v2/webhooks/${id}/deliveries?status=delivered`);
      return data.items[0];
    });
    assert.deepEqual([delivery.event_id, delivery.attempt_count, delivery.next_attempt_at], [payload.id, 1, null]);
    const { health } = (await account.get(`/v2/webhooks/${id}`)).data;
    assert.deepEqual([health.attempts, health.success_rate, health.pending], [1, 1, 0]);
  });

  await t.test('and no others: by type, filter, status, account and time', async (t) => {
    const [account, other] = [service.account(), service.account()];
    const { received, url } = await recorder(t);
    await service.contactCreated(account);
    await eventually(
      async () => (await service.parts.mongo.db.collection('contacts').countDocuments({ account_id: account.accountId })) === 1,
    );
    service.pass(minute);
    await service.create(account, url, { events: ['segment.*'] });
    await service.create(account, url, { filter: { field: 'data.attributes.plan', op: 'eq', value: 'pro' } });
    await service.create(account, url, { status: 'disabled' });
    await service.create(other, url);
    await service.contactCreated(account, { attributes: { plan: 'free' } });
    const passed = await service.contactCreated(account, { attributes: { plan: 'pro' } });
    await play.enterSegment(account.accountId, newId('segment'), newId('contact'));
    await eventually(async () => received.length >= 2);
    assert.deepEqual(received.map(({ payload }) => payload.type).sort(), ['contact.created', 'segment.entered']);
    assert.equal(received.find(({ payload }) => payload.type === 'contact.created')?.payload.id, publicId(passed));
  });

  await t.test('once each, even if the platform publishes the event again', async (t) => {
    const account = service.account();
    const { received, url } = await recorder(t);
    const { id } = await service.create(account, url, { events: ['contact.created'] });
    const event = await service.contactCreated(account);
    await play.tell((await import('@mp/contracts/events/contacts')).ContactCreated, account.accountId, event.data as never, {
      id: event.id,
    });
    const last = await service.contactCreated(account);
    // Deliveries are concurrent, so the later event may arrive first.
    await eventually(async () => [event, last].every((one) => received.some(({ payload }) => payload.id === publicId(one))));
    const { data } = await account.get(`/v2/webhooks/${id}/deliveries`);
    assert.deepEqual(data.items.map(({ event_id }: { event_id: string }) => event_id).sort(), [event, last].map(publicId).sort());
  });

  await t.test('with both secrets while one is rotated', async (t) => {
    const account = service.account();
    const { received, url } = await recorder(t);
    const { secret: before, id } = await service.create(account, url);
    const { secret: after, previous_secret_expires_at } = (await account.post(`/v2/webhooks/${id}/rotate-secret`, { grace_seconds: 60 }))
      .data;
    assert.ok(previous_secret_expires_at);
    await service.contactCreated(account);
    await eventually(async () => received.length === 1);
    const [{ headers, body } = assert.fail()] = received;
    for (const secret of [before, after]) new Webhook(secret).verify(body, headers as Record<string, string>);
    service.pass(2 * minute);
    await service.contactCreated(account);
    await eventually(async () => received.length === 2);
    assert.equal(String(received[1]?.headers['webhook-signature']).split(' ').length, 1);
    assert.equal((await account.get(`/v2/webhooks/${id}`)).data.previous_secret_expires_at, null);
  });

  await t.test('only once a suspension of its account has ended; those of other accounts do not wait', async (t) => {
    const [held, other] = [service.account(), service.account()];
    const [mine, theirs] = [await recorder(t), await recorder(t)];
    const { id } = await service.create(held, mine.url);
    await service.create(other, theirs.url);
    await play.setStatus(held.accountId, 'suspended', 2);
    await eventually(async () => service.suspended.has(held.accountId));
    await service.contactCreated(held);
    const deliveries = async () => (await held.get(`/v2/webhooks/${id}/deliveries`)).data.items;
    await eventually(async () => (await deliveries()).length === 1);
    // When the second one arrives, the deliverer has looked at every webhook.
    for (const count of [1, 2]) {
      await service.contactCreated(other);
      await eventually(async () => theirs.received.length === count);
    }
    const [waiting] = await deliveries();
    assert.deepEqual([waiting.status, waiting.attempt_count, mine.received.length], ['pending', 0, 0]);
    await play.setStatus(held.accountId, 'active', 3);
    await eventually(async () => (await deliveries())[0].status === 'delivered');
    assert.equal(mine.received.length, 1);
  });

  await t.test('as IDs only when the payload would exceed 64 KiB', async (t) => {
    const account = service.account();
    const { received, url } = await recorder(t);
    await service.create(account, url);
    const id = newId('contact');
    const attributes = Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`a${index}`, 'x'.repeat(1_000)]));
    await service.contactCreated(account, { id, attributes });
    await eventually(async () => received.length === 1);
    assert.deepEqual([received[0]?.payload.truncated, received[0]?.payload.data], [true, { id, external_id: null, revision: 1 }]);
  });
});

test('a failed delivery', async (t) => {
  const service = await webhookService(t, { webhookTimeoutMs: 1_000 });
  const { play } = service;
  const deliveriesOf = async (account: ReturnType<typeof service.account>, id: string) =>
    (await account.get(`/v2/webhooks/${id}/deliveries`)).data.items;

  await t.test('is retried on the schedule, with the same id and a new signature', async (t) => {
    const account = service.account();
    const { received, url } = await recorder(t, (response) => response.writeHead(received.length < 3 ? 500 : 204).end('sorry'));
    const { secret, id } = await service.create(account, url);
    await service.contactCreated(account);
    for (const [index, pause] of [0, 6_000, 6 * minute].entries()) {
      service.pass(pause);
      await eventually(async () => (await deliveriesOf(account, id))[0]?.attempt_count === index + 1);
    }
    const [delivery] = await deliveriesOf(account, id);
    assert.equal(delivery.status, 'delivered');
    assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 1);
    assert.equal(new Set(received.map(({ headers }) => headers['webhook-signature'])).size, 3);
    for (const { headers, body } of received.slice(-1)) assert.ok(headers['webhook-timestamp'] && body && secret);
    const { attempts, payload } = (await account.get(`/v2/webhooks/deliveries/${delivery.id}`)).data;
    assert.deepEqual(
      attempts.map(({ status_code, response }: { status_code: number; response: string }) => [status_code, response]),
      [
        [500, 'sorry'],
        [500, 'sorry'],
        [204, ''],
      ],
    );
    assert.deepEqual(payload, received[0]?.payload);
  });

  await t.test('waits as long as Retry-After says', async (t) => {
    const account = service.account();
    const { url } = await recorder(t, (response) => response.writeHead(429, { 'retry-after': '3600' }).end());
    const { id } = await service.create(account, url);
    await service.contactCreated(account);
    const delivery = await eventually(async () =>
      (await deliveriesOf(account, id)).find((one: { attempt_count: number }) => one.attempt_count === 1),
    );
    const waits = Date.parse(delivery.next_attempt_at) - service.clock().getTime();
    assert.ok(waits > 59 * minute && waits < 61 * minute, String(waits));
  });

  await t.test('does not follow redirects', async (t) => {
    const account = service.account();
    const { received, url } = await recorder(t, (response) => response.writeHead(302, { location: '/elsewhere' }).end());
    const { id } = await service.create(account, url);
    await service.contactCreated(account);
    const delivery = await eventually(async () =>
      (await deliveriesOf(account, id)).find((one: { attempt_count: number }) => one.attempt_count === 1),
    );
    assert.match(delivery.last_attempt.error, /Redirects are not followed/);
    assert.equal(received.length, 1);
  });

  await t.test('names what is wrong with TLS, and sends nothing', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'tls-'));
    t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
    const [keyFile, certFile] = [join(folder, 'key'), join(folder, 'cert')];
    const asked = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-subj',
      '/CN=localhost',
      '-days',
      '1',
    ];
    const made = await run('openssl', [...asked, '-keyout', keyFile, '-out', certFile]).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && assert.fail(error),
    );
    if (!made) return t.skip('openssl is not installed');
    let requests = 0;
    const secure = createServer({ key: await readFile(keyFile), cert: await readFile(certFile) }, (_, response) => {
      requests += 1;
      response.end();
    }).listen(0, '127.0.0.1');
    await once(secure, 'listening');
    t.after(() => secure.close());
    const address = secure.address();
    const plain = await recorder(t);
    const account = service.account();
    const wrong: [string, RegExp][] = [
      [`https://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`, /self-signed/],
      [plain.url.replace('http:', 'https:'), /TLS handshake failed/],
    ];
    for (const [url, reason] of wrong) {
      const { id } = await service.create(account, url);
      assert.match((await account.post(`/v2/webhooks/${id}/test`)).data.attempts[0].error, reason);
    }
    assert.deepEqual([requests, plain.received.length], [0, 0]);
  });

  await t.test('with 410 disables the webhook, which records what it misses for a replay', async (t) => {
    const account = service.account();
    let status = 410;
    const { received, url } = await recorder(t, (response) => response.writeHead(status).end());
    const { id } = await service.create(account, url);
    const began = service.clock();
    await service.contactCreated(account);
    await eventually(async () => (await account.get(`/v2/webhooks/${id}`)).data.disabled_reason === 'gone');
    await service.contactCreated(account);
    await eventually(async () => (await deliveriesOf(account, id)).length === 2);
    assert.equal(received.length, 1);
    const range = { since: began.toISOString() };
    assert.equal((await account.post(`/v2/webhooks/${id}/replay`, range)).error.code, 'INVALID_STATE');
    const first = (await deliveriesOf(account, id)).at(-1);
    assert.equal((await account.post(`/v2/webhooks/${id}/test`)).data.status, 'failed');
    status = 200;
    received.length = 0;
    const { data: enabled } = await account.put(`/v2/webhooks/${id}`, { status: 'active' });
    assert.deepEqual([enabled.disabled_reason, enabled.missed], [null, { deliveries: 2, since: first.created_at }]);
    assert.equal((await account.put(`/v2/webhooks/${id}`, enabled)).data.missed, null, 'offered once');
    const replay = await account.post(`/v2/webhooks/${id}/replay`, { since: enabled.missed.since });
    assert.deepEqual([replay.status, replay.data.replayed, replay.data.has_more], [202, 2, false], replay.text);
    await eventually(async () => received.length === 2);
    assert.ok(
      received.every(({ payload }) => payload.test === undefined),
      'test events are not replayed',
    );
    assert.equal(new Set(received.map(({ payload }) => payload.id)).size, 2);
  });

  await t.test('of a webhook that only fails for five days disables it', async (t) => {
    const account = service.account();
    const { url } = await recorder(t, (response) => response.writeHead(500).end());
    const { id } = await service.create(account, url);
    await service.contactCreated(account);
    await eventually(async () => (await account.get(`/v2/webhooks/${id}`)).data.failing_since !== null);
    service.pass(5 * day + minute);
    const disabled = await eventually(async () => {
      const { data } = await account.get(`/v2/webhooks/${id}`);
      return data.status === 'disabled' && data;
    });
    assert.equal(disabled.disabled_reason, 'failing');
  });

  await t.test('is retried as soon as a receiver that was down responds again', async (t) => {
    const account = service.account();
    let isDown = true;
    const { received, url } = await recorder(t, (response) => (isDown ? response.destroy() : response.end()));
    const { id } = await service.create(account, url);
    for (let count = 0; count < 12; count += 1) await service.contactCreated(account);
    await eventually(
      async () => (await deliveriesOf(account, id)).filter((one: { attempt_count: number }) => one.attempt_count > 0).length >= 5,
    );
    isDown = false;
    service.pass(2 * minute);
    await eventually(async () => (await deliveriesOf(account, id)).every((one: { status: string }) => one.status === 'delivered'));
    assert.equal(new Set(received.map(({ payload }) => payload.id)).size, 12);
  });

  await t.test('can be replayed by hand, with the same id', async (t) => {
    const account = service.account();
    const { received, url } = await recorder(t);
    const { id } = await service.create(account, url);
    await service.contactCreated(account);
    const delivery = await eventually(async () =>
      (await deliveriesOf(account, id)).find((one: { status: string }) => one.status === 'delivered'),
    );
    const replay = await account.post(`/v2/webhooks/deliveries/${delivery.id}/replay`);
    assert.equal(replay.status, 202, replay.text);
    await eventually(async () => received.length === 2);
    assert.equal(received[0]?.payload.id, received[1]?.payload.id);
    const stranger = await service.account().post(`/v2/webhooks/deliveries/${delivery.id}/replay`);
    assert.equal(stranger.status, 404);
    const old = new Date(service.clock().getTime() - 31 * day).toISOString();
    const expired = await account.post(`/v2/webhooks/${id}/replay`, { since: old });
    assert.deepEqual([expired.status, expired.error.details[0].path], [400, '/since']);
    assert.match(expired.error.message, /last 30 days; older deliveries are deleted/);
    const [since, until] = [service.clock().toISOString(), new Date(service.clock().getTime() - day).toISOString()];
    assert.equal((await account.post(`/v2/webhooks/${id}/replay`, { since, until })).error.details[0].path, '/until');
  });

  await t.test('of an erased contact is removed, with its events in the outbox, and late events about it are not stored', async (t) => {
    const account = service.account();
    const { url } = await recorder(t, (response) => response.writeHead(500).end());
    const { id } = await service.create(account, url);
    const contactId = newId('contact');
    await service.contactCreated(account, { id: contactId, email: 'erase-me@example.com' });
    await eventually(async () => (await deliveriesOf(account, id)).length === 1);
    const { mongo, outbox } = service.parts;
    const effect = { effect_key: `${newId('run')}:1`, run_id: newId('run'), workflow_id: newId('workflow'), contact_id: contactId };
    const notification = { ...effect, user_id: newId('user'), subject: 'Order', text: 'erase-me@example.com ordered.' };
    await mongo.transaction({ correlationId: 'test', causationId: null }, (tx) =>
      outbox.add(tx, NotifyEffectRequested, account.accountId, notification),
    );
    await play.tell(ContactErased, account.accountId, { erasure_id: newId('erasure'), contact_id: contactId, merged_ids: [], revision: 9 });
    await eventually(async () => (await deliveriesOf(account, id)).map(({ type }: { type: string }) => type).join() === 'contact.erased');
    await service.contactUpdated(account, { id: contactId, email: 'erase-me@example.com', revision: 2 }, ['email']);
    await service.contactCreated(account);
    await eventually(async () => (await deliveriesOf(account, id)).length === 2);
    const stored = await service.parts.mongo.db.collection('webhook_deliveries').find({ account_id: account.accountId }).toArray();
    assert.ok(!JSON.stringify(stored).includes('erase-me'));
    // Once every transaction that did not see the erasure has ended.
    service.pass(3 * 60_000);
    const written = mongo.db.collection('outbox').find({ 'events.account_id': account.accountId });
    await eventually(async () => !JSON.stringify(await written.clone().toArray()).includes('erase-me'));
  });
});

test('a test delivery', async (t) => {
  const service = await webhookService(t);
  const account = service.account();

  await t.test('is signed and marked, and returns what the receiver responded', async (t) => {
    const { received, url } = await recorder(t, (response) => response.writeHead(418).end('teapot'));
    const { id, secret } = await service.create(account, url, { status: 'disabled' });
    const response = await account.post(`/v2/webhooks/${id}/test`, { type: 'message.clicked' });
    assert.equal(response.status, 200, response.text);
    const { status, test: isTest, attempts } = response.data;
    assert.deepEqual([status, isTest, attempts[0].status_code, attempts[0].response], ['failed', true, 418, 'teapot']);
    const [{ headers, body, payload } = assert.fail()] = received;
    new Webhook(secret).verify(body, headers as Record<string, string>);
    assert.deepEqual([payload.type, payload.test, payload.account_id], ['message.clicked', true, account.accountId]);
  });

  await t.test('explains why there was no response', async () => {
    const { id } = await service.create(account, 'http://127.0.0.1:9/');
    const { attempts } = (await account.post(`/v2/webhooks/${id}/test`)).data;
    assert.equal(attempts[0].error, 'No response: the connection was refused.');
    const unknown = await service.create(account, 'https://hooks.does-not-exist.invalid/');
    assert.match((await account.post(`/v2/webhooks/${unknown.id}/test`)).data.attempts[0].error, /^No response: .*name/);
    assert.match((await account.post(`/v2/webhooks/${id}/test`, { type: 'nothing' })).text, /type/);
  });
});
