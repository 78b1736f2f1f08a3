import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MarketingPlatform, type TrackOptions } from './sdk.ts';

type Event = { event: string; message_id: string; timestamp: string };

function tracking(options: TrackOptions, rejected: (event: Event) => boolean = () => false, status = 202) {
  const batches: Event[][] = [];
  const fetch: typeof globalThis.fetch = async (_, init) => {
    const { events }: { events: Event[] } = JSON.parse(String(init?.body));
    batches.push(events);
    const results = events.map((event, index) =>
      rejected(event) ? { index, status: 'rejected', code: 'invalid', message: 'No.' } : { index, status: 'accepted' },
    );
    return Response.json({ success: true, data: { results } }, { status });
  };
  const mp = new MarketingPlatform({ apiKey: 'mp_live_x', baseUrl: 'https://mp.example.com', fetch, maxRetries: 0, tracking: options });
  return {
    mp,
    batches,
    track: (count: number) => Array.from({ length: count }, (_, index) => mp.track({ event: `e${index}`, visitor_id: 'v' })),
  };
}

test('flush sends every event once, in order and in batches, each with an ID and the time of its call', async () => {
  const { mp, batches, track } = tracking({ maxBatch: 4, maxWait: 60_000 });
  track(10);
  await mp.flush();
  assert.deepEqual(
    batches.map((batch) => batch.length),
    [4, 4, 2],
  );
  const events = batches.flat();
  assert.deepEqual(
    events.map(({ event }) => event),
    Array.from({ length: 10 }, (_, index) => `e${index}`),
  );
  assert.equal(new Set(events.map(({ message_id }) => message_id)).size, 10);
  const began = Math.floor(performance.timeOrigin);
  assert.ok(events.every(({ timestamp }) => Date.parse(timestamp) >= began && Date.parse(timestamp) <= Date.now()));
  await mp.flush();
  assert.equal(batches.length, 3);
});

test('events are also sent without a flush', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { track, batches } = tracking({ maxWait: 1 }, () => {
    resolve();
    return false;
  });
  track(2);
  await promise;
  assert.deepEqual(
    batches.map((batch) => batch.length),
    [2],
  );
});

test('events that are rejected, dropped or not sent are reported, and no others', async () => {
  const reported: string[] = [];
  const onError: TrackOptions['onError'] = (error, events) => reported.push(...events.map(({ event }) => `${event} ${error.name}`));
  const rejecting = tracking({ onError, maxQueue: 3, maxWait: 60_000 }, ({ event }) => event === 'e1');
  rejecting.track(4);
  await rejecting.mp.flush();
  assert.deepEqual(reported, ['e3 MarketingPlatformError', 'e1 MarketingPlatformError']);
  reported.length = 0;
  const failing = tracking({ onError, maxWait: 60_000 }, () => false, 500);
  failing.track(2);
  await failing.mp.flush();
  assert.deepEqual(reported, ['e0 ServerError', 'e1 ServerError']);
});
