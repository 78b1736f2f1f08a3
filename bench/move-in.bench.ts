import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { listmonkInstance, recordedServer } from '../libs/move-in/test/recorded-server.ts';
import { writeResults } from './contacts-results.ts';
import { withPlatform } from './platform.ts';

/**
 * Moving in beside the import of a file with the same contacts, from the start of the command to the last row: mp import reads a
 * recorded server of listmonk, mp contacts import a CSV file, in turn, each on a platform of its own.
 * BENCH_CONTACTS=10000 and BENCH_ROUNDS=1 for a short run.
 */
const count = Number(process.env.BENCH_CONTACTS ?? 100_000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);

const mp = join(import.meta.dirname, '../libs/cli/src/mp.ts');
const at = '2024-03-01T10:00:00.000Z';
const numbers = Array.from({ length: count }, (_, index) => index);
const address = (index: number) => `p${index}@example.com`;

const csv = [
  'email,first_name,last_name,consent.email.status,consent.email.at,tags,attributes.city',
  ...numbers.map((index) => `${address(index)},Ada,Lovelace,subscribed,${at},vip,City ${index % 500}`),
].join('\n');

const listmonk = listmonkInstance(
  numbers.map((index) => ({
    ...{ id: index + 1, email: address(index), name: 'Ada Lovelace', attribs: { city: `City ${index % 500}` }, status: 'enabled' },
    lists: [{ id: 1, name: 'News', optin: 'double', subscription_status: 'confirmed', subscription_updated_at: at }],
  })),
);

const folder = await mkdtemp(join(tmpdir(), 'move-in-bench-'));
const cleanUps: (() => void)[] = [() => void rm(folder, { recursive: true, force: true })];
const server = await recordedServer({ after: (cleanUp) => cleanUps.push(cleanUp) }, listmonk);
const file = join(folder, 'contacts.csv');
await writeFile(file, csv);

const candidates: [name: string, line: string[]][] = [
  ['a CSV file: `mp contacts import`', ['contacts', 'import', file]],
  ['a CSV file into a segment: the same with `--segment`', ['contacts', 'import', file, '--segment']],
  ['listmonk: `mp import --from listmonk`', ['import', '--from', 'listmonk', '--url', server.url, '--yes', '--output', 'json']],
];

/** Seconds of one import, on a platform of its own: what follows from an import goes on after it, and would slow the next one down. */
async function seconds(line: string[]): Promise<number> {
  let took = Number.NaN;
  await withPlatform(async (platform) => {
    const client = await platform.client('--permission', 'admin');
    const env = {
      ...process.env,
      LISTMONK_API_KEY: 'api:token',
      XDG_CONFIG_HOME: folder,
      MP_API_KEY: client.key ?? '',
      MP_BASE_URL: platform.url,
    };
    const toSegment = line.at(-1) === '--segment' ? [(await client.post('/v2/segments', { name: 'News', kind: 'static' })).data.id] : [];
    const begun = performance.now();
    const child = spawn(process.execPath, [mp, ...line, ...toSegment], { env });
    child.stdin.end();
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    took = (performance.now() - begun) / 1_000;
    if (code !== 0) throw new Error(`mp ${line.join(' ')} ended with ${code}: ${err}${out}`);
    const { pagination } = (await client.get('/v2/contacts?limit=1&include=total_count')).data;
    if (pagination.total_count !== count) throw new Error(`${pagination.total_count} contacts of ${count}.`);
  });
  return took;
}

const times = new Map<string, number[]>(candidates.map(([name]) => [name, []]));
for (let round = 0; round < rounds; round += 1) {
  for (const [name, line] of round % 2 === 0 ? candidates : candidates.toReversed()) {
    const took = await seconds(line);
    times.get(name)?.push(took);
    console.log(`${name}: ${took.toFixed(1)} s`);
  }
  // A run that takes long is worth something when it is ended early.
  await write(times, round + 1);
}
for (const cleanUp of cleanUps) cleanUp();

async function write(times: ReadonlyMap<string, readonly number[]>, done: number) {
  const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
  const medians = [...times.values()].map(median);
  const ratioTo = (index: number) => ((medians[2] ?? Number.NaN) / (medians[index] ?? Number.NaN)).toFixed(2);
  await writeResults({
    name: 'move-in',
    title: 'Moving in',
    how: `${count.toLocaleString('en')} contacts with consent, a tag and an attribute, all in one list; from the start of the command to the last row, the other system is a recorded server on this machine; ${done} rounds in turn, each import on a platform of its own.`,
    table: [
      '| | s, median | range | contacts/s |',
      '|---|---|---|---|',
      ...[...times].map(
        ([name, its]) =>
          `| ${name} | ${median(its).toFixed(1)} | ${Math.min(...its).toFixed(1)} – ${Math.max(...its).toFixed(1)} | ${(count / median(its)).toFixed(0)} |`,
      ),
    ].join('\n'),
    aims: [
      ['listmonk / the CSV file into a segment, as lists are', '1', ratioTo(1)],
      ['listmonk / the CSV file', 'reported', ratioTo(0)],
    ],
  });
}
