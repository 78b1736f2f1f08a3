import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/parts';
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

test(`messages while workers are killed ${kills} times with -9 (SEED=${seed}): none is lost or sent twice, and each report counts once`, async (t) => {
  await startNeighbours(t);
  const chance = chances(seed);
  const sink = await startSmtpSink(t, { behave: () => ({ slowMs: 5 }) });
  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly());
  parts.broker.start();
  await parts.broker.connected();
  const owner = testClient(app);
  const { start, kill } = await killableServices(t, parts, sink.url);
  const body = { name: 'SendGrid', kind: 'sendgrid', public_key: fixtures.sendgridKey };
  const webhook = new URL((await owner.post('/v2/campaigns/providers', body)).data.webhook_url).pathname;

  const requested: { id: string; email: string }[] = [];
  const read = async (id: string) => (await owner.get(`${path}/${id}`)).data;
  /** Reports a bounce until it is accepted; an email that is still being sent is reported again. */
  const bounce = async (id: string, messageId: string) => {
    const { body: payload, headers } = fixtures.sendgrid({
      kind: 'bounced',
      messageId,
      recipientId: id,
      id: `bounce-${id}`,
      at: new Date(),
    });
    await eventually(async () => (await app.inject({ method: 'POST', url: webhook, payload, headers })).statusCode === 200);
  };

  for (let done = 0; done < kills; done += 1) {
    const child = await start();
    const killed = sleep(chance() * 600).then(() => kill(child));
    const requests = Array.from({ length: perKill }, async (_, index) => {
      const email = `m${done}x${index}@example.com`;
      const message = { from: smallest.from, to: { email }, content: { subject: 'Hi', text: 'Hi' } };
      const { data, status } = await owner.post(path, message, { 'idempotency-key': email });
      assert.equal(status, 202);
      requested.push({ id: data.id, email });
    });
    await Promise.all([...requests, killed]);
  }
  const last = await start();
  await eventually(async () => {
    const { items } = (await owner.get(`${path}?limit=1&state=queued`)).data;
    const { items: sending } = (await owner.get(`${path}?limit=1&state=sending`)).data;
    return items.length === 0 && sending.length === 0;
  }, 120_000);

  let unknown = 0;
  for (const { id, email } of requested) {
    const { state, message_id } = await read(id);
    assert.ok(!pending.includes(state), `${id} is ${state}`);
    const copies = sink.to(email).length;
    if (state === 'sent') assert.equal(copies, 1, `${id} is sent and was received ${copies} times`);
    else assert.ok(state === 'unknown' && copies <= 1, `${id} is ${state} and was received ${copies} times`);
    unknown += state === 'unknown' ? 1 : 0;
    if (chance() < 0.1) {
      await Promise.all([bounce(id, message_id), bounce(id, message_id)]);
      assert.equal((await read(id)).state, 'bounced');
    }
  }
  assert.equal(requested.length, kills * perKill);
  assert.ok(unknown <= kills * 15, `${unknown} unknown`);
  t.diagnostic(`${requested.length} messages, ${unknown} unknown, ${kills} kills`);
  await kill(last);
});
