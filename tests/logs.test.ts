import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactCreated } from '@mp/contracts/events/contacts';
import { newId } from '@mp/ids';
import { natsAddress } from '@mp/service-kit/nats-address';
import { eventually } from '@mp/test-kit/eventually';
import { connect } from '@nats-io/transport-node';
import { startPlatform } from './platform.ts';

type Line = Record<string, unknown> & { msg: string };

test('every line of a request names its request, account and trace: at the gateway, in the service and in the consumers of its events', async (t) => {
  const platform = await startPlatform(t, { services: ['gateway', 'contacts', 'segments'] });
  const client = await platform.client('--permission', 'read_write', '--account', 'logs');
  const lines = async (name: 'gateway' | 'contacts' | 'segments', request: string) =>
    (await platform.log(name))
      .split('\n')
      .filter((line) => line.includes(`"request_id":"${request}"`))
      .map((line): Line => JSON.parse(line));
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  const headers = { traceparent, 'x-request-id': 'request-created' };
  const { id } = (await client.post('/v2/contacts', { email: 'ada@example.com' }, headers)).data;
  await client.get('/v2/contacts?email=ada%40example.com', { 'x-request-id': 'request-listed' });
  await client.get(`/v2/contacts/${id}`, { 'x-request-id': 'request-read' });
  await client.get('/v2/contacts/contact_00000000000000000000000000', { 'x-request-id': 'request-missing' });

  await t.test('the access log names the route, the caller and the time, and never the query or a secret', async () => {
    const [read] = await eventually(async () => (await lines('gateway', 'request-read')).length > 0 && lines('gateway', 'request-read'));
    const { method, route, status, ms, account_id, credential_id, address, msg, path } = read ?? assert.fail('no line');
    assert.deepEqual([method, route, status, msg, path], ['GET', '/v2/contacts/{id}', 200, 'request', undefined]);
    assert.ok(typeof ms === 'number' && ms > 0);
    assert.ok(typeof account_id === 'string' && account_id.startsWith('account_'));
    assert.ok(typeof credential_id === 'string' && credential_id.startsWith('key_'));
    assert.equal(address, '127.0.0.1');
    const [missing] = await eventually(
      async () => (await lines('gateway', 'request-missing')).length > 0 && lines('gateway', 'request-missing'),
    );
    assert.equal(missing?.status, 404);
    const [traced] = await lines('gateway', 'request-created');
    assert.equal(traced?.trace_id, traceId);
    const everything = (await Promise.all((['gateway', 'contacts', 'segments'] as const).map(platform.log))).join('');
    assert.ok(client.key);
    for (const secret of [client.key, 'ada@example.com', 'ada%40example.com']) assert.ok(!everything.includes(secret), secret);
  });

  await t.test('the service names the same account', async () => {
    const [line] = await eventually(async () => (await lines('contacts', 'request-read')).length > 0 && lines('contacts', 'request-read'));
    const [seen] = await lines('gateway', 'request-read');
    assert.deepEqual([line?.msg, line?.account_id], ['request', seen?.account_id]);
  });

  await t.test('a consumer names the event, its account, and the request and trace that caused it', async () => {
    const nats = await connect(natsAddress(platform.infra.env.NATS_URL ?? ''));
    t.after(() => nats.close());
    const event = {
      id: newId('event'),
      type: ContactCreated.type,
      version: 1,
      time: new Date().toISOString(),
      account_id: newId('account'),
    };
    const origin = { correlation_id: 'request-of-event', causation_id: null, producer: 'contacts', traceparent, data: { wrong: true } };
    nats.publish(`${platform.namespace}.${ContactCreated.subject}`, JSON.stringify({ ...event, ...origin }));
    const of = () => lines('segments', 'request-of-event');
    const [line] = await eventually(async () => (await of()).length > 0 && of());
    assert.equal(line?.msg, 'event dead-lettered');
    assert.deepEqual(
      [line.event_id, line.account_id, line.trace_id, line.consumer],
      [event.id, event.account_id, traceId, 'segments-contacts'],
    );
  });
});
