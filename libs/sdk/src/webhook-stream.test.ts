import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConflictError, MarketingPlatform } from './sdk.ts';

/** A platform that gives these responses, one after another, to requests for streams. */
function platform(...responses: (() => Response)[]) {
  const requests: string[] = [];
  const mp = new MarketingPlatform({
    apiKey: 'key',
    baseUrl: 'https://mp.example.com',
    maxRetries: 0,
    fetch: async (url, init) => {
      requests.push(`${new URL(String(url)).search} ${new Headers(init?.headers).get('accept')}`);
      return responses[requests.length - 1]?.() ?? Response.error();
    },
  });
  return { mp, requests };
}

const event = (id: string, number: number) =>
  `id: stream_1.${number}\nevent: contact.created\ndata: {"id":"${id}","type":"contact.created"}\n\n`;
const failure = (status: number, code: string) => () =>
  Response.json({ success: false, error: { code, message: 'It has ended.', request_id: 'req_1' } }, { status });

/** A response whose text arrives in these pieces, and that then ends, or whose connection is lost. */
const stream =
  (pieces: readonly string[], lost = false) =>
  () => {
    const rest = [...pieces];
    return new Response(
      new ReadableStream({
        pull(controller) {
          const piece = rest.shift();
          if (piece !== undefined) controller.enqueue(new TextEncoder().encode(piece));
          else if (lost) controller.error(new TypeError('terminated'));
          else controller.close();
        },
      }),
    );
  };

test('listen gives each event once, whatever its pieces, and continues after the last one when the connection ends', async () => {
  const whole = `retry: 1000\nid: stream_1.0\n\n${event('event_1', 1)}: alive\n\n${event('event_2', 2)}`;
  const { mp, requests } = platform(
    stream([whole.slice(0, 30), whole.slice(30, 31), whole.slice(31)], true),
    stream([`id: stream_1.2\n\n${event('event_é', 3)}`]),
    failure(409, 'INVALID_STATE'),
  );
  const seen: string[] = [];
  let opened = 0;
  const listening = async () => {
    for await (const { id } of mp.webhooks.listen({ events: ['contact.*'], onOpen: () => opened++ })) seen.push(id);
  };
  await assert.rejects(listening, ConflictError);
  assert.deepEqual(seen, ['event_1', 'event_2', 'event_é']);
  assert.equal(opened, 1);
  assert.deepEqual(requests, [
    '?events=contact.* text/event-stream',
    '?after=stream_1.2 text/event-stream',
    '?after=stream_1.3 text/event-stream',
  ]);
});

test('listen ends when its signal aborts', async () => {
  const { mp } = platform(stream([`id: stream_1.0\n\n${event('event_1', 1)}${event('event_2', 2)}`]));
  const leaving = new AbortController();
  const seen: string[] = [];
  for await (const { id } of mp.webhooks.listen({ signal: leaving.signal })) {
    seen.push(id);
    if (seen.length === 2) leaving.abort();
  }
  assert.deepEqual(seen, ['event_1', 'event_2']);
});
