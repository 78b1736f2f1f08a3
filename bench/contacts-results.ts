import { loadavg } from 'node:os';
import { natsAddress } from '@mp/service-kit/nats-address';
import { connect } from '@nats-io/transport-node';
import { MongoClient } from 'mongodb';
import { machine } from './compare.ts';
import { keepResults } from './results.ts';

type Aim = [figure: string, aim: string, measured: string];

/** Read before the benchmark starts. */
const load = (loadavg()[0] ?? Number.NaN).toFixed(2);

/** The versions of the servers of this environment: those that scripts/bench.ts has started, which platforms use, too. */
export const servers = async ({ MONGODB_URL, NATS_URL }: Partial<Record<string, string>> = process.env) =>
  [MONGODB_URL && (await mongoVersion(MONGODB_URL)), NATS_URL && (await natsVersion(NATS_URL))].filter(Boolean).join(', ');

async function mongoVersion(url: string): Promise<string> {
  const client = await MongoClient.connect(url);
  const { version } = await client.db('admin').command({ buildInfo: 1 });
  await client.close();
  return `MongoDB ${version}`;
}

async function natsVersion(url: string): Promise<string> {
  const connection = await connect(natsAddress(url));
  const version = connection.info?.version ?? 'unknown';
  await connection.close();
  return `nats-server ${version}`;
}

/** Prints a section with the method, the results and their targets, and writes it to bench/RESULTS.md. */
export async function writeResults({
  name,
  title,
  how,
  table,
  aims,
}: {
  name: string;
  title: string;
  how: string;
  table: string;
  aims: readonly Aim[];
}) {
  const text = [
    `## ${title}`,
    `${machine()}, ${await servers()}, ${new Date().toISOString().slice(0, 10)}; ${how} Load of the machine at the start: ${load}. \`npm run bench -- ${name}\`.`,
    table,
    ['| metric | target | measured |', '|---|---|---|', ...aims.map((aim) => `| ${aim.join(' | ')} |`)].join('\n'),
  ].join('\n\n');
  console.log(`\n${text}`);
  await keepResults(name, text);
}
