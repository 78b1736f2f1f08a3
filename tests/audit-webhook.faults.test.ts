import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { Webhook } from 'standardwebhooks';
import { startPlatform } from './platform.ts';

const changes = 40;

test('a webhook gets every entry of the audit log, however often the gateway and the deliveries are killed', {
  timeout: 900_000,
}, async (t) => {
  const platform = await startPlatform(t, { services: ['gateway', 'workflows'], env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  const client = await platform.client('--permission', 'admin');
  let secret = '';
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    new Webhook(secret).verify(body, request.headers as Record<string, string>);
    bodies.push(body);
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close().closeAllConnections());
  const address = server.address();
  assert.ok(address && typeof address === 'object');
  const created = await client.post('/v2/webhooks', { url: `http://127.0.0.1:${address.port}/audit`, events: ['audit_entry.created'] });
  assert.equal(created.status, 201, created.text);
  secret = created.data.secret;

  const keys: string[] = [];
  for (let change = 0; change < changes; change += 1) {
    const { data } = await eventually(async () => {
      const made = await client.post(
        '/v2/settings/api-keys',
        { name: `K${change}`, permission: 'read_only' },
        { 'idempotency-key': `key-${change}` },
      );
      return made.status === 201 && made;
    });
    keys.push(data.key);
    if (change % 10 === 5) {
      const service = change % 20 === 5 ? 'gateway' : 'workflows';
      await platform.stop(service, 'SIGKILL');
      await platform.start(service);
    }
  }
  const { items } = (await client.get('/v2/settings/audit-log?action=api_key.created&limit=100')).data;
  const wanted = new Set<string>(items.map(({ id }: { id: string }) => id).slice(0, changes));
  assert.equal(wanted.size, changes);
  await eventually(async () => {
    const received = new Set(bodies.map((body) => JSON.parse(body).data.id));
    return [...wanted].every((id) => received.has(id));
  });
  const byEntry = Map.groupBy(bodies, (body) => String(JSON.parse(body).data.id));
  for (const [id, own] of byEntry) assert.equal(new Set(own.map((body) => JSON.parse(body).id)).size, 1, `${id} is one event`);
  for (const key of keys) assert.ok(!bodies.some((body) => body.includes(key)));
});
