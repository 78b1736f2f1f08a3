import assert from 'node:assert/strict';
import { test } from 'node:test';
import { webhookEvents } from '@mp/contracts/webhooks/catalogue';
import { exampleEnvelope } from '@mp/contracts/webhooks/webhook-event';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { Webhook } from 'standardwebhooks';
import { publicId, recorder, webhookService } from './webhooks.ts';

const minute = 60_000;

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

  await t.test('receives no other events: by type, filter, status, account and time', async (t) => {
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
    await play.publish((await import('@mp/contracts/events/contacts')).ContactCreated, account.accountId, event.data as never, {
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

test('every type of event in the catalogue reaches a webhook that subscribes to it', async (t) => {
  const service = await webhookService(t);
  const { received, url } = await recorder(t);
  for (const event of webhookEvents) {
    const account = service.account();
    await service.create(account, url, { events: [event.type] });
    await service.play.publish(event.source, account.accountId, exampleEnvelope(event).data);
  }
  for (const { type } of webhookEvents)
    await t.test(type, async () => {
      await eventually(async () => received.some(({ payload }) => payload.type === type));
    });
});

test('an email that was refused has not bounced: each is one event', async (t) => {
  const service = await webhookService(t);
  const { received, url } = await recorder(t);
  const account = service.account();
  const types = ['message.refused', 'message.bounced'];
  const { id } = await service.create(account, url, { events: types });
  for (const event of webhookEvents)
    if (types.includes(event.type)) await service.play.publish(event.source, account.accountId, exampleEnvelope(event).data);
  await eventually(async () => types.every((type) => received.some(({ payload }) => payload.type === type)));
  const { items } = (await account.get(`/v2/webhooks/${id}/deliveries`)).data;
  assert.deepEqual(items.map(({ type }: { type: string }) => type).sort(), types.toSorted());
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
