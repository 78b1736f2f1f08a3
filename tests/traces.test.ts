import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { startPlatform } from './platform.ts';

type Attributes = Record<string, unknown>;
type Span = { name: string; traceId: string; spanId: string; parentSpanId?: string; resource: Attributes; attributes: Attributes };

const valuesOf = (attributes: { key: string; value: Record<string, unknown> }[]): Attributes =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** An OTLP/HTTP collector that stores the spans it receives. */
async function startCollector(t: { after: (end: () => void) => void }) {
  const spans: Span[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    for (const { resource, scopeSpans } of JSON.parse(Buffer.concat(chunks).toString()).resourceSpans)
      for (const scope of scopeSpans)
        for (const span of scope.spans)
          spans.push({ ...span, resource: valuesOf(resource.attributes), attributes: valuesOf(span.attributes) });
    response.setHeader('content-type', 'application/json').end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, spans };
}

test('one trace connects the client, the gateway, the contacts service, its database and the change in segments', async (t) => {
  const collector = await startCollector(t);
  const services = ['gateway', 'contacts', 'segments'] as const;
  const platform = await startPlatform(t, { services, env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  const client = await platform.client('--permission', 'read_write', '--account', 'traces');
  const segment = await client.post('/v2/segments', {
    name: 'Berlin',
    definition: { all: [{ field: 'address.city', op: 'eq', value: 'Berlin' }] },
  });
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
  const contact = await client.post('/v2/contacts', { email: 'ada@example.com', address: { city: 'Berlin' } }, headers);
  assert.equal(contact.status, 201);
  await eventually(async () => (await client.get(`/v2/segments/${segment.data.id}/contacts`)).data.items.length === 1);
  // On stop, a service sends its remaining spans.
  await Promise.all(services.map((name) => platform.stop(name)));

  const spanOf = (service: string, name: string) =>
    collector.spans.find((span) => span.resource['service.name'] === service && span.name === name && span.traceId === traceId) ??
    assert.fail(`${service} has no span ${name}: ${collector.spans.map((span) => span.name).join()}`);
  const gateway = spanOf('gateway', 'POST /v2/contacts');
  const forwarded = spanOf('gateway', 'POST contacts');
  const contacts = spanOf('contacts', 'POST /v2/contacts');
  const inserted = spanOf('contacts', 'insert outbox');
  const published = spanOf('contacts', 'publish contacts.contact.created.v1');
  const segments = spanOf('segments', 'process contacts.contact.created.v1');
  assert.deepEqual(
    [gateway, forwarded, contacts, inserted, published, segments].map((span) => span.parentSpanId),
    ['00f067aa0ba902b7', gateway.spanId, forwarded.spanId, contacts.spanId, contacts.spanId, contacts.spanId],
  );

  // OpenTelemetry's semantic conventions, which dashboards of any backend rely on.
  const { 'service.version': version, 'service.instance.id': instance } = contacts.resource;
  assert.match(String(version), /^\d+\.\d+\.\d+$/);
  assert.notEqual(instance, gateway.resource['service.instance.id']);
  const route = { 'http.request.method': 'POST', 'http.route': '/v2/contacts', 'http.response.status_code': 201 };
  for (const span of [gateway, forwarded, contacts]) assert.deepEqual({ ...span.attributes, ...route }, span.attributes);
  const message = { 'messaging.system': 'nats', 'messaging.destination.name': 'contacts.contact.created.v1' };
  for (const span of [published, segments]) assert.deepEqual({ ...span.attributes, ...message }, span.attributes);
  assert.equal(segments.attributes['messaging.consumer.group.name'], 'segments-contacts');
  const stored = { 'db.system.name': 'mongodb', 'db.operation.name': 'insert', 'db.collection.name': 'outbox' };
  assert.deepEqual({ ...inserted.attributes, ...stored }, inserted.attributes);
  assert.doesNotMatch(JSON.stringify(collector.spans), /ada@example\.com|mp_live/, 'no personal data and no secret');
});
