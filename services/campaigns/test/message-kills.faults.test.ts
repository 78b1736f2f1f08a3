import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { AddressRejected } from '@mp/contracts/events/campaigns';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { chances, killableServices } from './killable-services.ts';
import { startNeighbours } from './neighbours.ts';
import * as fixtures from './provider-fixtures.ts';
import { routesOnly, smallest } from './setting.ts';
import { startSmtpSink } from './smtp-sink.ts';

const seed = Number(process.env.SEED ?? 20_261_122);
const kills = Number(process.env.KILLS ?? 30);
const perKill = 30;

const path = '/v2/campaigns/messages';
const pending = ['queued', 'deferred', 'sending'];

test(`messages while workers are killed ${kills} times with -9 (SEED=${seed}): none is lost or sent twice, and each bounce is applied once`, async (t) => {
  await startNeighbours(t);
  const chance = chances(seed);
  const sink = await startSmtpSink(t, { behave: () => ({ slowMs: 5 }) });
  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly());
  parts.broker.start();
  await parts.broker.connected();
  const owner = testClient(app);
  const { start, kill, url } = await killableServices(t, parts, sink.url);
  const body = { name: 'SendGrid', kind: 'sendgrid', public_key: fixtures.sendgridKey };
  const webhook = new URL((await owner.post('/v2/campaigns/providers', body)).data.webhook_url).pathname;

  const requested: { id: string; email: string }[] = [];
  const read = async (id: string) => (await owner.get(`${path}/${id}`)).data;
  const bounced = new Map<string, Promise<unknown>>();
  /** Reports a bounce to the process that is killed until it is accepted, as providers do. */
  const report = async (messageId: string, recipientId: string) => {
    await sleep(chance() * 1_000);
    const bounce = { kind: 'bounced' as const, messageId, recipientId, id: `bounce-${recipientId}`, at: new Date() };
    const request = { method: 'POST', ...fixtures.sendgrid(bounce) };
    return eventually(async () => {
      const response = await fetch(new URL(webhook, url()), request).catch(() => undefined);
      return response?.status === 200;
    });
  };
  /** Reports a bounce of some emails that have been sent, each twice at once. */
  const bounceSome = async () => {
    const { items } = (await owner.get(`${path}?limit=100&state=sent`)).data;
    for (const { id, message_id } of items.filter(() => chance() < 0.2))
      if (!bounced.has(id)) bounced.set(id, Promise.all([report(message_id, id), report(message_id, id)]));
  };

  for (let done = 0; done < kills; done += 1) {
    const child = await start();
    await bounceSome();
    const [began, mailed] = [Date.now(), sink.received.length];
    const [after, atMost] = [chance() * perKill, chance() * 3_000];
    const requests = Array.from({ length: perKill }, async (_, index) => {
      const email = `m${done}x${index}@example.com`;
      const message = { from: smallest.from, to: { email }, content: { subject: 'Hi', text: 'Hi' } };
      const { data, status } = await owner.post(path, message, { 'idempotency-key': email });
      assert.equal(status, 202);
      requested.push({ id: data.id, email });
    });
    while (sink.received.length < mailed + after && Date.now() < began + atMost) await sleep(2);
    await kill(child);
    await Promise.all(requests);
  }
  const last = await start();
  await eventually(async () => {
    const { items } = (await owner.get(`${path}?limit=1&state=queued`)).data;
    const { items: sending } = (await owner.get(`${path}?limit=1&state=sending`)).data;
    return items.length === 0 && sending.length === 0;
  });
  // On a busy machine, all emails may have been sent only now.
  await bounceSome();
  await Promise.all(bounced.values());

  let unknown = 0;
  for (const { id, email } of requested) {
    const { state } = await read(id);
    assert.ok(!pending.includes(state), `${id} is ${state}`);
    const copies = sink.to(email).length;
    if (bounced.has(id)) assert.equal(state, 'bounced', id);
    if (state === 'sent' || state === 'bounced') assert.equal(copies, 1, `${id} is ${state} and was received ${copies} times`);
    else assert.ok(state === 'unknown' && copies <= 1, `${id} is ${state} and was received ${copies} times`);
    unknown += state === 'unknown' ? 1 : 0;
  }
  assert.equal(requested.length, kills * perKill);
  assert.ok(bounced.size > 0, 'some bounced');
  const rejected = await writtenEvents(parts.mongo.db, { subject: AddressRejected.subject });
  assert.equal(rejected.length, bounced.size, 'each bounce is published once');
  assert.ok(unknown <= kills * 15, `${unknown} unknown`);
  t.diagnostic(`${requested.length} messages, ${bounced.size} bounced, ${unknown} unknown, ${kills} kills`);
  await kill(last);
});
