import { summary } from './compare.ts';
import { writeResults } from './contacts-results.ts';
import { inCity, newAccountId, withSegments } from './segments-service.ts';

/** As many as the promise is about. BENCH_CONTACTS for a short run. */
const many = Number(process.env.BENCH_CONTACTS ?? 100_000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const dayMs = 24 * 60 * 60 * 1_000;
const chunk = 5_000;

const ordered = { event: 'order_placed', count: { gte: 2 }, in_last: 'P90D' };
const rules = {
  'a city': inCity(502),
  'a tag and a number': {
    all: [
      { field: 'tags', op: 'contains', value: 't7' },
      { field: 'attributes.seats', op: 'gte', value: 50 },
    ],
  },
  'two orders in the last 90 days': ordered,
  'a city and two orders': { all: [inCity(502), ordered] },
};

/** How long a preview takes until it is exact, and how many requests that are. Every third contact has two orders. */
await withSegments(async ({ parts, call, fill, profiles }) => {
  const accountId = newAccountId();
  await fill(accountId, many);
  const activities = parts.mongo.db.collection<{ _id: string }>('activities');
  const ids = (await profiles.find({ account_id: accountId }, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id);
  const orders = ids.flatMap((contact_id, index) =>
    (index % 3 === 0 ? [3, 30] : []).map((days) => ({
      ...{ _id: `${accountId} ${index} ${days}`, account_id: accountId, contact_id, name: ordered.event },
      ...{ time: new Date(Date.now() - days * dayMs), properties: [], machine: false },
    })),
  );
  for (let from = 0; from < orders.length; from += chunk) await activities.insertMany(orders.slice(from, from + chunk), { ordered: false });

  async function preview(definition: object) {
    const begun = performance.now();
    const took: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const since = performance.now();
      const path = `/v2/segments/preview${cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`}`;
      const { next_cursor, at_least } = await call(accountId, { method: 'POST', path, payload: { definition } });
      took.push(performance.now() - since);
      if (next_cursor === null && at_least === 0) throw new Error('no contact matches');
      cursor = next_cursor;
    }
    return { whole: performance.now() - begun, requests: took.length, longest: Math.max(...took) };
  }

  const rows: string[] = [];
  let slowest = 0;
  for (const [name, definition] of Object.entries(rules)) {
    await preview(definition);
    const turns = [];
    for (let round = 0; round < rounds; round += 1) turns.push(await preview(definition));
    const { median, min, max } = summary(turns.map(({ whole }) => whole));
    const ms = (value: number) => Math.round(value).toLocaleString('en');
    slowest = Math.max(slowest, median);
    const [requests, longest] = [Math.max(...turns.map((turn) => turn.requests)), Math.max(...turns.map((turn) => turn.longest))];
    rows.push(`| ${name} | ${ms(median)} (${ms(min)} – ${ms(max)}) | ${requests} | ${ms(longest)} |`);
  }
  await writeResults({
    name: 'segments-preview',
    title: 'Segments: a preview until it is exact',
    how: `${many.toLocaleString('en')} contacts in one account, a third of them with two orders; one process, which also sends and parses; median and range of ${rounds} rounds after a warm-up.`,
    table: ['| conditions | until exact, ms | requests | longest request, ms |', '|---|---|---|---|', ...rows].join('\n'),
    aims: [[`slowest, exact at ${many.toLocaleString('en')} contacts`, '≤ 2,000 ms', `${Math.round(slowest).toLocaleString('en')} ms`]],
  });
});
