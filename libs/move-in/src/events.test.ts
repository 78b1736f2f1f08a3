import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Fault, klaviyoAccount, type RecordedEvent, recordedServer } from '../test/recorded-server.ts';
import { klaviyo } from './klaviyo/provider.ts';
import { planOf } from './plan.ts';
import type { Batch, MovedEvent, MovedRecord } from './records.ts';
import { createSource } from './source.ts';
import type { Written } from './state.ts';
import { createSteps } from './steps.ts';
import type { Track } from './target.ts';
import { createEventWriter, eventsIn } from './write-events.ts';

const since = new Date(Date.now() - 399 * 24 * 3_600_000).toISOString().slice(0, 10);
const ago = (days: number) => new Date(Date.now() - days * 24 * 3_600_000).toISOString();
const email = 'ada@example.com';
const order = (id: number, more: Partial<RecordedEvent> = {}): RecordedEvent => ({
  ...{ id: `e${id}`, name: 'Placed Order', email, datetime: ago(10), event_properties: { $value: 9.9 } },
  ...more,
});

async function readAll(t: TestContext, events: readonly RecordedEvent[], faults: Record<number, Fault> = {}) {
  const server = await recordedServer(t, klaviyoAccount([{ email }], { events, page: 10 }), faults);
  const { url, headers } = klaviyo.connect('pk_secret', server.url);
  const waits: number[] = [];
  const source = () => createSource({ title: 'Klaviyo', url, headers, pause: async (ms) => void waits.push(ms) });
  const batches = async (after: string | null) => {
    const all: Batch[] = [];
    for await (const batch of klaviyo.read(source(), after, { eventsSince: since })) all.push(batch);
    return all;
  };
  return { server, waits, batches };
}

async function* each(records: readonly MovedRecord[]) {
  yield* records;
}
const recordsOf = (batches: readonly Batch[]) => batches.flatMap(({ records }) => records);
const eventsOf = (batches: readonly Batch[]) => recordsOf(batches).filter((record): record is MovedEvent => record.kind === 'event');

test('events of every page come once, through rate limits and failures, and reading can resume after any page', async (t) => {
  const events = Array.from({ length: 35 }, (_, index) => order(index));
  const { server, waits, batches } = await readAll(t, events, { 6: 'limit', 7: 'fail', 8: 'break' });
  const whole = await batches(null);
  assert.deepEqual(
    eventsOf(whole).map(({ body }) => body.message_id),
    events.map(({ id }) => id),
  );
  assert.ok(waits.includes(3_000), 'waits as long as Retry-After says');
  const first = server.requests.map(({ path }) => new URL(path, server.url)).find(({ pathname }) => pathname === '/api/events');
  assert.equal(first?.searchParams.get('filter'), `greater-or-equal(datetime,${since}T00:00:00Z)`);
  assert.equal(first?.searchParams.get('include'), 'metric,profile');
  assert.equal(server.requests.at(-1)?.headers.revision, '2026-01-15');
  for (const [index, { next }] of whole.entries()) assert.deepEqual(recordsOf(await batches(next)), recordsOf(whole.slice(index + 1)));
});

test('without a first day, no events are read', async (t) => {
  const { server } = await readAll(t, [order(1)]);
  const source = createSource({ title: 'Klaviyo', url: server.url, headers: {} });
  for await (const { records } of klaviyo.read(source, null)) assert.ok(records.every(({ kind }) => kind !== 'event'));
  assert.ok(server.requests.every(({ path }) => !/events|accounts/.test(path)));
});

test('orders have their value and currency once, and other metrics of a shop keep theirs as a property', async (t) => {
  const { batches } = await readAll(t, [
    order(1),
    order(2, {
      event_properties: { $value: '12.34567', $value_currency: 'usd', Items: ['a'], Rows: [{ sku: 'x' }], $extra: { html: '<p>' } },
    }),
    order(3, { name: 'Ordered Product' }),
    order(4, { name: 'Subscription renewed', event_properties: { $value: -5 } }),
    order(5, { email: 'no address', external_id: 'u5', event_properties: { $value: 1e300 } }),
  ]);
  assert.deepEqual(
    eventsOf(await batches(null)).map(({ body: { value, properties, ...body } }) => [body.email ?? body.external_id, value, properties]),
    [
      [email, { amount: 9.9, currency: 'EUR' }, { value: 9.9 }],
      [email, { amount: 12.3457, currency: 'USD' }, { value: '12.34567', value_currency: 'usd', 'Items.0': 'a', 'Rows.0.sku': 'x' }],
      [email, undefined, { value: 9.9 }],
      [email, { amount: -5, currency: 'EUR' }, { value: -5 }],
      ['u5', undefined, {}],
    ],
  );
});

test('hostile events are cut, skipped and named, and what is left of them fits an event', async (t) => {
  const wide = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`key ${index}`, 'ü'.repeat(1_900)]));
  const deep = JSON.parse(`${'{"a":'.repeat(50)}1${'}'.repeat(50)}`);
  const own = JSON.parse(
    '{"__proto__":{"polluted":1},"constructor":"x","fine":1,"_bsontype":"y","nul":"\\u0000","half":"\\ud800","big":12345678901234567890}',
  );
  const { batches } = await readAll(t, [
    order(1, { name: 'N'.repeat(10_000) }),
    order(2, { name: '__proto__' }),
    order(3, { name: '$$ \n' }),
    order(4, { event_properties: { ...wide, deep } }),
    order(5, { event_properties: own }),
    order(6, { datetime: '1970-01-01T00:00:00+00:00' }),
    order(7, { datetime: '2090-01-01T00:00:00+00:00' }),
    order(8, { datetime: 'yesterday' }),
    order(9, { email: '' }),
    ...['Opened Email', 'Received SMS', 'Subscribed to List', 'Unsubscribed'].map((name, index) => order(10 + index, { name })),
    order(20, { name: 'Subscribed to newsletter' }),
  ]);
  const all = await batches(null);
  const bodies = eventsOf(all).map(({ body }) => body);
  assert.deepEqual(
    bodies.map(({ event }) => event),
    ['N'.repeat(100), '__proto__', 'Placed Order', 'Placed Order', 'Subscribed to newsletter'],
  );
  assert.ok(bodies.every((body) => Buffer.byteLength(JSON.stringify(body)) < 32_768));
  assert.deepEqual(bodies[3]?.properties, { fine: 1 });
  assert.equal(Reflect.get({}, 'polluted'), undefined);
  const { report } = await planOf(klaviyo, each(recordsOf(all)));
  assert.deepEqual([report.comes.events, report.events[0]], [5, { name: 'Placed Order', count: 2 }]);
  const skipped = report.skipped.map(({ what, why, count }) => `${count} ${what} ${why}`).join('\n');
  assert.match(skipped, /3 events Placed Order have no time between/);
  assert.match(skipped, /1 events Placed Order are of profiles without an email address or external ID/);
  assert.match(skipped, /1 events have no name/);
  for (const name of ['Opened Email', 'Received SMS', 'Subscribed to List', 'Unsubscribed'])
    assert.match(skipped, new RegExp(`1 events ${name} are about emails, messages and consents in Klaviyo`));
  assert.match(report.changed.map(({ what, count }) => `${count} ${what}`).join('\n'), /2 some properties of Placed Order/);
});

test('an import that is interrupted between its events and their record doubles none, and starts nothing', async (t) => {
  const { batches } = await readAll(
    t,
    Array.from({ length: 1_200 }, (_, index) => order(index)),
  );
  const records = recordsOf(await batches(null));
  const state: Written = { steps: {}, errors: [] };
  const stored = new Set<unknown>();
  let calls = 0;
  const track: Track = async (events) => {
    calls += 1;
    const results = events.map((event) => {
      const id = Reflect.get(event, 'message_id');
      assert.equal(Reflect.get(event, 'backfill'), true);
      return { status: stored.size === stored.add(id).size ? ('duplicate' as const) : ('accepted' as const) };
    });
    // Stored, and the connection breaks.
    if (calls === 2) throw new Error('broken');
    return { results };
  };
  const none = () => Promise.reject(new Error('is not called'));
  const target = { createImport: none, getImport: none, followImport: none, importErrors: none };
  const write = () => {
    const written = createEventWriter({ track, steps: createSteps(target, { state, save: () => {} }), save: () => {} });
    return written(eventsIn(each(records)), (one) => one);
  };
  await assert.rejects(write(), /broken/);
  await write();
  assert.deepEqual([stored.size, calls], [1_200, 4]);
  assert.deepEqual(state.steps.events?.counts, { created: 700, updated: 0, unchanged: 500, failed: 0 });
});
