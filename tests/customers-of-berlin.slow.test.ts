import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '@mp/service-kit/metrics';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/parts';
import { buildApp as buildContacts } from '../services/contacts/src/app.ts';
import { endOfJob, importFile } from '../services/contacts/test/jobs.ts';
import { buildApp as buildLeadpulse } from '../services/leadpulse/src/app.ts';
import { buildApp as buildSegments } from '../services/segments/src/app.ts';

const dayMs = 86_400_000;
const customers = 2_000;

/** Customers in Berlin who spent over 500 EUR in the last 90 days and have not bought for 30. */
const definition = {
  all: [
    { field: 'address.city', op: 'eq', value: 'Berlin' },
    { event: 'order_placed', sum: { of: 'value.amount', currency: 'EUR', gt: 500 }, in_last: 'P90D' },
    { event: 'order_placed', last: { op: 'not_in_last', value: 'P30D' } },
  ],
};

type Order = { customer: number; time: number; cents: number; currency: string };

const cityOf = (customer: number) => ['Berlin', 'Hamburg', 'berlin', 'München', 'BERLIN'][customer % 5] ?? '';

/** Numbers from 0 to 1, the same in every run. */
function numbers(): () => number {
  let state = 7;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Two years of orders, most of them recent; a refund is a negative amount. */
function ordersBefore(now: number): Order[] {
  const random = numbers();
  return Array.from({ length: customers }, (_, customer) =>
    Array.from({ length: customer % 4 === 3 ? 1 : 2 }, () => ({
      customer,
      time: Math.round(now - (random() < 0.25 ? random() * 730 : 22 + random() * 78) * dayMs),
      cents: Math.round(random() * 90_000) - 5_000,
      currency: random() < 0.15 ? 'USD' : 'EUR',
    })),
  ).flat();
}

/** The customers that the rule describes, counted without it. */
function expected(orders: readonly Order[], now: number): number[] {
  const spent = new Map<number, number>();
  const last = new Map<number, number>();
  for (const { customer, time, cents, currency } of orders) {
    if (currency === 'EUR' && time > now - 90 * dayMs) spent.set(customer, (spent.get(customer) ?? 0) + cents);
    last.set(customer, Math.max(last.get(customer) ?? 0, time));
  }
  return [...spent]
    .filter(([customer, cents]) => cents > 50_000 && cityOf(customer).toLowerCase() === 'berlin')
    .flatMap(([customer]) => ((last.get(customer) ?? 0) <= now - 30 * dayMs ? [customer] : []));
}

test('customers in Berlin who spent over 500 EUR in 90 days and have not bought for 30', async (t) => {
  let now = new Date();
  const contacts = await testService(t, await testParts(t, 'contacts'), buildContacts, { live: true });
  const leadpulse = await testService(t, await testParts(t, 'leadpulse'), buildLeadpulse, { live: true });
  const segments = await testService(
    t,
    await testParts(t, 'segments'),
    (parts) => buildSegments({ ...parts, metrics: createMetrics('segments') }, { clock: () => now }),
    { live: true },
  );
  const account = testClient(contacts.app).patient();
  const tracker = testClient(leadpulse.app, { account_id: account.accountId }).patient();
  const owner = testClient(segments.app, { account_id: account.accountId }).patient();
  const begun = now.getTime();
  const orders = ordersBefore(begun);

  const rows = Array.from({ length: customers }, (_, index) => `crm-${index},c${index}@customers.example,${cityOf(index)}`);
  const imported = await importFile(account, `external_id,email,address.city\n${rows.join('\n')}\n`);
  assert.deepEqual([imported.status, imported.rows.created], ['completed', customers]);

  const response = await owner.post('/v2/segments', { name: 'Lapsed in Berlin', definition });
  assert.equal(response.status, 201, response.text);
  const { id } = response.data;
  const total = async (segmentId: string, query = '') =>
    (await owner.get(`/v2/segments/${segmentId}/contacts?limit=1&include=total_count${query}`)).data.pagination.total_count;
  const read = async (segmentId: string) => (await owner.get(`/v2/segments/${segmentId}`)).data;
  await eventually(async () => (await read(id)).status === 'ready', 60_000);

  for (let from = 0; from < orders.length; from += 500) {
    const events = orders.slice(from, from + 500).map(({ customer, time, cents, currency }, index) => ({
      event: 'order_placed',
      external_id: `crm-${customer}`,
      message_id: `order-${from + index}`,
      timestamp: new Date(time).toISOString(),
      value: { amount: cents / 100, currency },
      backfill: true,
    }));
    const { status, text } = await tracker.post('/v2/leadpulse/track', { events });
    assert.ok(status < 300, text);
  }
  const members = expected(orders, begun);
  assert.ok(members.length > 300, `${members.length} members`);
  await eventually(async () => (await total(id, '&consistent=true')) === members.length, 300_000);
  await eventually(async () => (await read(id)).count === members.length);

  const exporting = await account.post('/v2/contacts/exports', { format: 'ndjson', filter: { segment_id: id } });
  const file = await endOfJob(account, `/v2/contacts/exports/${exporting.data.id}`);
  const lines = (await account.get(file.download_url)).text.trim().split('\n');
  const exported: { id: string; external_id: string }[] = lines.map((line: string) => JSON.parse(line));
  assert.deepEqual(
    exported.map(({ external_id }) => external_id).sort(),
    members.map((customer) => `crm-${customer}`).sort(),
    'exactly the customers counted without the rule',
  );

  const { data: copy } = await owner.post('/v2/segments', { name: 'Copy', kind: 'static', source_segment_id: id });
  await eventually(async () => (await read(copy.id)).status === 'ready', 60_000);
  await eventually(async () => (await read(copy.id)).count === members.length);

  const ids = exported.slice(0, 300).map((contact) => contact.id);
  const tagging = await account.post('/v2/contacts/bulk', { select: { ids }, action: 'add_tag', tag: 'win-back' });
  const tagged = await endOfJob(account, `/v2/contacts/bulk/${tagging.data.id}`);
  assert.deepEqual(tagged.rows, { selected: 300, changed: 300, unchanged: 0, failed: 0 });
  assert.equal((await account.get('/v2/contacts?tag=win-back&limit=1&include=total_count')).data.pagination.total_count, 300);

  const sizes = [members.length];
  for (const days of [1, 2, 3, 4]) {
    now = new Date(begun + days * dayMs);
    const size = expected(orders, now.getTime()).length;
    sizes.push(size);
    await eventually(async () => {
      await segments.built.timer.settleDue();
      return (await total(id)) === size;
    }, 120_000);
  }
  assert.ok(new Set(sizes).size > 1, 'the size changes while customers buy nothing');
  const series = await owner.get(`/v2/segments/${id}/series?from=${new Date(begun).toISOString().slice(0, 10)}`);
  assert.deepEqual(
    series.data.items.map(({ count }: { count: number }) => count),
    sizes,
    'the size on each day',
  );
  for (const [days, size] of sizes.entries()) {
    const asOf = new Date(begun + days * dayMs + 60_000);
    if (asOf <= now) assert.equal(await total(id, `&as_of=${asOf.toISOString()}`), size, `as of day ${days}`);
  }
  assert.equal(await total(copy.id), members.length, 'the copy stays as it was');
});
