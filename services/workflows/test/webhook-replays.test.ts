import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactErased } from '@mp/contracts/events/contacts';
import { NotifyEffectRequested } from '@mp/contracts/events/workflows';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { recorder, webhookService } from './webhooks.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

test('a failed delivery', async (t) => {
  const service = await webhookService(t, { webhookTimeoutMs: 1_000 });
  const { play } = service;
  const deliveriesOf = async (account: ReturnType<typeof service.account>, id: string) =>
    (await account.get(`/v2/webhooks/${id}/deliveries`)).data.items;

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
    const range = { from: began.toISOString() };
    assert.equal((await account.post(`/v2/webhooks/${id}/replay`, range)).error.code, 'INVALID_STATE');
    const first = (await deliveriesOf(account, id)).at(-1);
    assert.equal((await account.post(`/v2/webhooks/${id}/test`)).data.status, 'failed');
    status = 200;
    received.length = 0;
    const { data: enabled } = await account.put(`/v2/webhooks/${id}`, { status: 'active' });
    const { missed } = enabled;
    assert.deepEqual([enabled.disabled_reason, missed.deliveries, missed.from], [null, 2, first.created_at]);
    assert.equal((await account.put(`/v2/webhooks/${id}`, enabled)).data.missed, null, 'offered once');
    const replay = await account.post(`/v2/webhooks/${id}/replay`, { from: missed.from });
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
    const expired = await account.post(`/v2/webhooks/${id}/replay`, { from: old });
    assert.deepEqual([expired.status, expired.error.details[0].path], [400, '/from']);
    assert.match(expired.error.message, /last 30 days; older deliveries are deleted/);
    const [from, to] = [service.clock().toISOString(), new Date(service.clock().getTime() - day).toISOString()];
    assert.equal((await account.post(`/v2/webhooks/${id}/replay`, { from, to })).error.details[0].path, '/to');
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
    await play.publish(ContactErased, account.accountId, {
      erasure_id: newId('erasure'),
      contact_id: contactId,
      merged_ids: [],
      revision: 9,
    });
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
