import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@mp/local-infra/free-port';
import { eventually } from '@mp/test-kit/eventually';
import { Webhook } from 'standardwebhooks';
import { startPlatform } from './platform.ts';

const maxDelayMs = 2_000;
/** A receiver that was down for longer is probed once a minute. */
const patienceMs = 150_000;
/** `DOWNTIME_SECONDS=600 npm run test:faults -- tests/webhooks --test-timeout=1200000` is the full test: ten minutes. */
const downtimeSeconds = Number(process.env.DOWNTIME_SECONDS ?? 30);
const missedCount = 40;

/** A receiver as documented: it verifies every request, and processes each `webhook-id` once. It can be down. */
async function startReceiver(t: TestContext) {
  const state = { secret: '', faults: [] as string[] };
  const seen = new Map<string, { email: string; at: number }>();
  let server: Server | undefined;
  // No other process gets it while the receiver is down.
  const port = await freePort();
  async function up() {
    server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const id = String(request.headers['webhook-id']);
      try {
        new Webhook(state.secret).verify(body, request.headers as Record<string, string>);
        if (!seen.has(id)) seen.set(id, { email: JSON.parse(body).data.email, at: Date.now() });
        response.writeHead(204).end();
      } catch (error) {
        state.faults.push(String(error));
        response.writeHead(400).end();
      }
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
  }
  const down = async () => {
    server?.closeAllConnections();
    server?.close();
    if (server) await once(server, 'close');
    server = undefined;
  };
  await up();
  t.after(down);
  return { state, up, down, url: `http://127.0.0.1:${port}/hook`, emails: () => [...seen.values()].map(({ email }) => email), seen };
}

test(`a receiver gets a new contact within two seconds, and after ${downtimeSeconds} s of downtime everything it missed, once each`, async (t) => {
  const platform = await startPlatform(t, { services: ['gateway', 'contacts', 'workflows'], env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  const client = await platform.client('--permission', 'admin', '--account', 'receiver');
  const receiver = await startReceiver(t);
  const created = await client.post('/v2/webhooks', { url: receiver.url, events: ['contact.created'] });
  assert.equal(created.status, 201, created.text);
  receiver.state.secret = created.data.secret;
  const wanted: string[] = [];
  const create = async (name: string) => {
    const email = `${name}@example.com`;
    assert.equal((await client.post('/v2/contacts', { email })).status, 201);
    wanted.push(email);
    return email;
  };

  const delays: number[] = [];
  // A busy machine delays one or another.
  await eventually(async () => {
    const began = Date.now();
    const email = await create(`fast-${delays.length}`);
    const at = await eventually(async () => [...receiver.seen.values()].find((one) => one.email === email)?.at);
    return delays.push(at - began) >= 5 && Math.min(...delays) < maxDelayMs;
  });
  t.diagnostic(`delays: ${delays.join(', ')} ms`);

  await receiver.down();
  const downUntil = Date.now() + downtimeSeconds * 1_000;
  const { id } = created.data;
  for (let count = 0; count < missedCount; count += 1) {
    await create(`missed-${count}`);
    if (count === missedCount / 2) {
      await eventually(async () => (await client.get(`/v2/webhooks/${id}`)).data.failing_since !== null);
      await platform.stop('workflows', 'SIGKILL');
      await platform.start('workflows');
    }
    await sleep(Math.max(0, downUntil - Date.now()) / (missedCount - count));
  }
  await receiver.up();
  await eventually(async () => receiver.emails().length >= wanted.length, patienceMs);
  assert.deepEqual(receiver.emails().sort(), wanted.sort());
  assert.deepEqual(receiver.state.faults, []);
  const { health } = (await client.get(`/v2/webhooks/${id}`)).data;
  assert.ok(health.last_failure_at !== null && health.last_success_at !== null);
});
