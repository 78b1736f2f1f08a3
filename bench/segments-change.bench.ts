import { quantile, summary } from './compare.ts';
import { writeResults } from './contacts-results.ts';
import { postgresSettings, startPostgres } from './postgres.ts';
import { contactOf, inCity, many, newAccountId, withSegments } from './segments-service.ts';

const few = Math.min(10_000, many / 2);
const segments = 100;
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const changesPerRound = 100;
/** The city of the segment that is computed again. */
const recomputedCity = 500;

type Postgres = NonNullable<Awaited<ReturnType<typeof startPostgres>>>;

const postgres = await startPostgres();

/**
 * One contact's change until its membership is readable, among few contacts and among many, beside computing a segment again: by
 * our service, and in PostgreSQL, as platforms do that evaluate segments periodically.
 */
await withSegments(async ({ parts, built, call, fill, segmentsOf }) => {
  const accounts = await Promise.all(
    [few, many].map(async (count) => {
      const accountId = newAccountId();
      const ids = await segmentsOf(accountId, segments);
      await fill(accountId, count);
      return { accountId, ids, count, turns: [] as number[][] };
    }),
  );
  const origin = { correlationId: 'bench', causationId: null };

  async function changeOf({ accountId, ids }: (typeof accounts)[number], index: number): Promise<number> {
    const city = index % segments;
    const contact = contactOf(index, city);
    const begun = performance.now();
    await parts.mongo.transaction(origin, (tx) => built.contacts.apply(tx, accountId, [contact]));
    const { member } = await call(accountId, { method: 'GET', path: `/v2/segments/${ids[city]}/contacts/${contact.id}` });
    if (member !== true) throw new Error('the membership is not readable');
    return performance.now() - begun;
  }

  async function recompute({ accountId }: (typeof accounts)[number]): Promise<number> {
    const begun = performance.now();
    const payload = { name: `Computed ${begun}`, definition: inCity(recomputedCity) };
    const { id } = await call(accountId, { method: 'POST', path: '/v2/segments', payload });
    while (await built.runner.serveOne());
    const took = performance.now() - begun;
    const { count } = await call(accountId, { method: 'GET', path: `/v2/segments/${id}` });
    if (count === 0) throw new Error('the segment is empty');
    return took;
  }

  if (postgres) await fillPostgres(postgres);
  const recomputed = { ours: [] as number[], postgres: [] as number[], indexed: [] as number[], all: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    for (const account of accounts) account.turns.push([]);
    for (let index = 0; index < changesPerRound; index += 1)
      for (const account of accounts) account.turns.at(-1)?.push(await changeOf(account, round * changesPerRound + index));
    for (const account of accounts.slice(-1)) recomputed.ours.push(await recompute(account));
    if (postgres) {
      recomputed.postgres.push(await computeAgain(postgres, recomputedCity, recomputedCity));
      await postgres.sql(`CREATE INDEX city ON contacts ((contact->'address'->>'city')); ANALYZE contacts;`);
      recomputed.indexed.push(await computeAgain(postgres, recomputedCity, recomputedCity));
      recomputed.all.push(await computeAgain(postgres, recomputedCity, recomputedCity + segments - 1));
      await postgres.sql('DROP INDEX city;');
    }
  }
  const measured = (turns: readonly number[]) => summary(turns.slice(1));
  const ofTurns = (turns: readonly number[][], q: number) =>
    measured(
      turns.map((times) =>
        quantile(
          times.toSorted((a, b) => a - b),
          q,
        ),
      ),
    );
  const digits = (value: number) => (value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en'));
  const ms = ({ median, min, max }: ReturnType<typeof summary>) => `${digits(median)} (${digits(min)} – ${digits(max)})`;
  const [small, most] = accounts.map(({ turns }) => ofTurns(turns, 0.5).median);
  const times = (slow: readonly number[]) => digits(measured(slow).median / (most ?? Number.NaN));
  const size = many.toLocaleString('en');
  const peer = postgres
    ? `PostgreSQL ${postgres.version} is durable as installed, with ${postgresSettings}; its contacts are JSON with the same fields and the same rule, and a segment is computed again by one statement that adds and removes members.`
    : 'PostgreSQL was not measured, because it is not installed (`apt-get install postgresql`).';
  await writeResults({
    name: 'segments-change',
    title: 'Segments: one change',
    how: `accounts with ${few.toLocaleString('en')} and ${size} contacts and ${segments} segments each; milliseconds in the service from the change of a contact to its membership as read through the API, ${changesPerRound} changes of each account and one computation of each kind in turn, median and range of ${rounds} rounds after a warm-up. ${peer}`,
    table: [
      '| | p50, ms | p99, ms |',
      '|---|---|---|',
      ...accounts.map(
        ({ count, turns }) =>
          `| a change among ${count.toLocaleString('en')} contacts | ${ms(ofTurns(turns, 0.5))} | ${ms(ofTurns(turns, 0.99))} |`,
      ),
      `| our service builds one segment of ${size} contacts | ${ms(measured(recomputed.ours))} | |`,
      ...(postgres
        ? [
            `| PostgreSQL computes one segment of ${size} contacts again | ${ms(measured(recomputed.postgres))} | |`,
            `| the same, with an index on the city | ${ms(measured(recomputed.indexed))} | |`,
            `| the same, ${segments} segments, with the index | ${ms(measured(recomputed.all))} | |`,
          ]
        : []),
    ].join('\n'),
    aims: [
      [
        `p50 of a change among ${size} contacts / among ${few.toLocaleString('en')}`,
        '≤ 1.3',
        ((most ?? Number.NaN) / (small ?? Number.NaN)).toFixed(2),
      ],
      ['PostgreSQL computes one segment again / p50 of a change', '≥ 100', postgres ? times(recomputed.postgres) : 'not measured'],
      [`the same, ${segments} segments with an index on the field`, 'reported', postgres ? times(recomputed.all) : 'not measured'],
      ['our service builds one segment / p50 of a change', 'reported', times(recomputed.ours)],
    ],
  });
});
await postgres?.stop();

/** The same contacts as those of the large account, apart from their IDs. */
async function fillPostgres({ sql }: Postgres) {
  await sql(`
CREATE TABLE contacts (id text PRIMARY KEY, contact jsonb NOT NULL);
CREATE TABLE members (segment int, contact text, PRIMARY KEY (segment, contact));
INSERT INTO contacts
SELECT 'contact_' || lpad(i::text, 12, '0'), jsonb_build_object(
  'email', 'person' || i || '@example' || i % 50 || '.com', 'first_name', 'First' || i % 997,
  'address', jsonb_build_object('city', 'City ' || 100 + i % 900),
  'tags', jsonb_build_array('t' || i % 20, 'customer'),
  'attributes', jsonb_build_object('plan', CASE WHEN i % 3 = 0 THEN 'pro' ELSE 'free' END, 'seats', i % 100))
FROM generate_series(0, ${many - 1}) AS i;
VACUUM ANALYZE contacts;
`);
}

/** Milliseconds of PostgreSQL to compute the segments of some cities again. */
async function computeAgain({ sql }: Postgres, first: number, last: number): Promise<number> {
  const printed = await sql(`
SELECT extract(epoch FROM clock_timestamp()) * 1000;
DO $$ BEGIN FOR city IN ${first}..${last} LOOP
  WITH matching AS MATERIALIZED (
    SELECT id FROM contacts WHERE contact->'address'->>'city' = 'City ' || city AND contact->'tags' ? 'customer'
  ), gone AS (
    DELETE FROM members WHERE segment = city AND contact NOT IN (SELECT id FROM matching)
  )
  INSERT INTO members SELECT city, id FROM matching ON CONFLICT DO NOTHING;
END LOOP; END $$;
SELECT extract(epoch FROM clock_timestamp()) * 1000;
SELECT count(*) FROM members WHERE segment = ${first};
`);
  const [from = Number.NaN, to = Number.NaN, members = 0] = printed.split('\n').map(Number);
  if (members === 0) throw new Error('PostgreSQL found no members.');
  return to - from;
}
