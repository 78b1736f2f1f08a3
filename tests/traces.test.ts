import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import { startPlatform } from './platform.ts';

type Span = { service: string; name: string; traceId: string; spanId: string; parentSpanId?: string };

/** An OTLP/HTTP collector that stores the spans it receives. */
async function startCollector(t: { after: (end: () => void) => void }) {
  const spans: Span[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    for (const { resource, scopeSpans } of JSON.parse(Buffer.concat(chunks).toString()).resourceSpans) {
      const named = resource.attributes.find(({ key }: { key: string }) => key === 'service.name');
      for (const scope of scopeSpans) for (const span of scope.spans) spans.push({ ...span, service: named?.value.stringValue });
    }
    response.setHeader('content-type', 'application/json').end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, spans };
}

test('one trace connects the client, the gateway, the contacts service and the change in segments', async (t) => {
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

  const of = (service: string) => collector.spans.find((span) => span.service === service && span.traceId === traceId);
  const [gateway, contacts, segments] = services.map(of);
  assert.equal(gateway?.parentSpanId, '00f067aa0ba902b7');
  assert.deepEqual([contacts?.name, contacts?.parentSpanId], ['POST /v2/contacts', gateway?.spanId]);
  assert.deepEqual([segments?.name, segments?.parentSpanId], ['segments-contacts contacts.contact.created', contacts?.spanId]);
});
