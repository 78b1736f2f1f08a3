import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { test } from 'node:test';
import { defineEvent } from '@mp/contracts/event';
import { defineRequest } from '@mp/contracts/request';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/test-parts';
import { z } from 'zod';
import { createConsumer, on } from './consume.ts';
import { createServer } from './create-server.ts';
import { startTraces, traceparent } from './traces.ts';

type Span = { name: string; traceId: string; spanId: string; parentSpanId?: string; kind: number; status: { code?: number } };

/** An OTLP/HTTP collector that stores what it receives. */
async function startCollector(t: { after: (end: () => void) => void }) {
  const spans: Span[] = [];
  const services = new Set<string>();
  const server = createHttpServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    for (const { resource, scopeSpans } of JSON.parse(Buffer.concat(chunks).toString()).resourceSpans) {
      for (const { key, value } of resource.attributes) if (key === 'service.name') services.add(value.stringValue);
      for (const scope of scopeSpans) spans.push(...scope.spans);
    }
    response.setHeader('content-type', 'application/json').end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, spans, services };
}

test('one trace covers a request, its event, the consumer and the requests of that consumer, without the token of a link', async (t) => {
  assert.equal(traceparent(), undefined);
  const collector = await startCollector(t);
  const traces = await startTraces('kit', collector.url, 1);
  const parts = await testParts(t, 'kit');
  const { mongo, outbox, broker, relay, transact } = parts;
  const name = mongo.db.databaseName;
  const event = defineEvent({ type: `${name}.thing.done`, version: 1, meaning: 'A thing was done.', data: z.object({ n: z.number() }) });
  const type = defineRequest({
    name: `${name}.ask`,
    version: 1,
    meaning: 'How many.',
    request: z.object({}),
    reply: z.object({ n: z.number() }),
  });
  const stream = { name, subject: `${name}.>`, keepDays: 1 };
  t.after(async () => (await broker.connected()).manager.streams.delete(broker.streamOf(name)).catch(() => undefined));

  const app = createServer({ ...parts, traced: true });
  app.post('/v2/things', { config: { scope: 'contacts:write' }, schema: { body: z.object({ n: z.number() }) } }, (request, reply) =>
    transact(request, reply, async (tx) => {
      await outbox.add(tx, event, request.principal.accountId, request.body);
      return { status: 201, data: {} };
    }),
  );
  app.get('/v2/things', { config: { scope: 'contacts:read' } }, () => {
    throw new Error('no');
  });
  await app.ready();
  broker.start();
  await broker.ensureStream(stream);
  relay.start();
  await broker.reply(type, async () => ({ n: 1 }));
  let isReplied = false;
  const consumer = createConsumer(parts, {
    name,
    stream,
    filter: `${name}.>`,
    handlers: [
      on(event, async () => {
        await broker.request(type, {});
        isReplied = true;
      }),
    ],
  });
  consumer.start();

  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const client = testClient(app);
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  assert.equal((await client.post('/v2/things', { n: 1 }, headers)).status, 201);
  assert.equal((await client.get('/v2/things')).status, 500);
  await client.get('/t/token-of-a-link?and=query');
  await eventually(async () => isReplied);
  await consumer.stop();
  await relay.stop();
  await traces.stop();

  const called = (part: string) => collector.spans.find((span) => span.name.includes(part));
  const consumed = called(`process ${name}`);
  const [post, published] = [called('POST /v2/things'), called(`publish ${name}`)];
  const [requestSpan, answeredBy] = [3, 2].map((kind) => collector.spans.find((span) => span.name === type.subject && span.kind === kind));
  for (const span of [post, published, consumed, requestSpan, answeredBy]) assert.equal(span?.traceId, traceId);
  assert.equal(published?.parentSpanId, post?.spanId);
  assert.equal(answeredBy?.parentSpanId, requestSpan?.spanId);
  assert.deepEqual(
    [post?.parentSpanId, consumed?.parentSpanId, requestSpan?.parentSpanId],
    ['b7ad6b7169203331', post?.spanId, consumed?.spanId],
  );
  const failed = called('GET /v2/things');
  assert.equal(failed?.status.code, 2);
  assert.notEqual(failed?.traceId, traceId);
  assert.doesNotMatch(JSON.stringify(collector.spans), /token-of-a-link|and=query/);
  assert.match(JSON.stringify(collector.spans), /\/t\/\*/);
  assert.deepEqual([...collector.services], ['kit']);
});
