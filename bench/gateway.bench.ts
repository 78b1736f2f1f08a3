import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@mp/local-infra/free-port';
import { acquireInfra } from '@mp/local-infra/infra';
import { MongoClient } from 'mongodb';
import { machine, quantile } from './compare.ts';
import { servers } from './contacts-results.ts';
import { atRate, loadProgram, saturate, type Target } from './gateway/load.ts';
import { makeKeys, startForwardingOnly, startOurs } from './gateway/ours.ts';
import {
  installPeers,
  makeCredentials,
  startExpressGateway,
  startHttpProxy,
  startRedis,
  webServers,
  withoutRedis,
} from './gateway/peers.ts';
import { endProcess, measuredCore, otherCore, pin, pinning, resourcesOf, startPinned } from './gateway/pinned.ts';
import { sendWrongKeys } from './gateway/wrong-keys.ts';
import { keepResults } from './results.ts';

/**
 * Compares our gateway with its peers in one interleaved run: each in turn is saturated with GETs that rotate through its
 * keys, while the other gateways are idle. Run by `npm run bench -- gateway`; `BENCH_ROUNDS`, `BENCH_SECONDS`.
 */
const keysInAll = 10_000;
/** A few busy accounts, and many with occasional requests. */
const [few, many] = [100, 1_000];
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const wrongKeys = Number(process.env.BENCH_WRONG_KEYS ?? 1_000_000);
/** Warm-up before each turn: keys and connections go cold while other gateways are measured. */
const warmSeconds = 3;
const latencyRounds = 9;
/** How long V8 keeps compiling rarely called functions on the single core. */
const compiledSeconds = 30;
const path = '/v2/contacts/contact_01kjn2v0a7e8ws3q4m5x6y7z8a';

const names = {
  forwarding: 'our gateway, forwarding only: routes and signs requests without checks',
  proxy: '@fastify/http-proxy, without checks',
  stock: 'stock express-gateway: key-auth, rate-limit on Redis',
};

type Candidate = { name: string; child: ChildProcess; target: Target };

const folder = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
const cleanUps: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
async function cleanUp() {
  for (let undo = cleanUps.pop(); undo; undo = cleanUps.pop()) await undo();
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void cleanUp().finally(() => process.exit(1)));
try {
  await measure();
} finally {
  await cleanUp();
}

async function measure() {
  const started = async (child: Promise<Awaited<ReturnType<typeof startPinned>>>) => {
    const running = await child;
    cleanUps.push(() => endProcess(running));
    return running;
  };
  for (const name of ['MONGODB_URL', 'NATS_URL']) delete process.env[name];
  const infra = await acquireInfra({ dir: join(folder, 'infra') });
  cleanUps.push(() => infra.release());
  const { servers: processes } = JSON.parse(await readFile(join(folder, 'infra/infra.json'), 'utf8'));
  for (const name of ['mongodb', 'nats']) pin(processes[name].process.pid, otherCore);
  pin(process.pid, otherCore);

  const upstreamPort = await freePort();
  const upstream = `http://127.0.0.1:${upstreamPort}`;
  await started(startPinned(otherCore, process.execPath, [part('upstream.ts')], { env: { PORT: String(upstreamPort) } }));

  const keysIn = async (name: string, keys: readonly string[]) => {
    const file = join(folder, `${name}.keys`);
    await writeFile(file, `${keys.join('\n')}\n`);
    return file;
  };
  const made = async (name: string, accounts: number, daily: number | null) =>
    keysIn(name, shuffled(await makeKeys({ env: infra.env, name, accounts, each: keysInAll / accounts, daily })));
  const counted = await made('counted', few, 100_000_000);
  const countedMany = await made('counted-many', many, 100_000_000);
  const open = await made('open', few, null);

  const [oursPort, barePort, rawPort, proxyPort, stockPort, adminPort, redisPort] = await Promise.all(Array.from({ length: 7 }, freePort));
  const at = (port: number | undefined) => `http://127.0.0.1:${port}`;
  const ours = await started(startOurs({ env: infra.env, port: oursPort ?? 0, upstream }));
  const bare = await started(startForwardingOnly({ env: infra.env, port: barePort ?? 0, upstream }));
  const raw = await started(
    startPinned(measuredCore, process.execPath, [part('raw.ts')], { env: { PORT: String(rawPort), KEYS: open, UPSTREAM: upstream } }),
  );
  const peers = process.env.BENCH_PEERS ?? join(folder, 'peers');
  await installPeers(peers);
  const proxy = await started(startHttpProxy(peers, proxyPort ?? 0, upstream));

  const full = `our gateway: key, permission, burst limit, daily quota; ${few} accounts`;
  const candidates: Candidate[] = [
    { name: full, child: ours, target: { url: at(oursPort), path, keysFile: counted } },
    {
      name: `the same; ${many.toLocaleString('en')} accounts with occasional requests`,
      child: ours,
      target: { url: at(oursPort), path, keysFile: countedMany },
    },
    { name: 'our gateway, a plan without a daily quota', child: ours, target: { url: at(oursPort), path, keysFile: open } },
    { name: names.forwarding, child: bare, target: { url: at(barePort), path, keysFile: open } },
    { name: 'our gateway, a public path: a tracking link', child: ours, target: { url: at(oursPort), path: '/t/x', keysFile: open } },
    { name: names.proxy, child: proxy, target: { url: at(proxyPort), path, keysFile: open } },
    { name: 'raw node:http and undici with a hashed key and a counter', child: raw, target: { url: at(rawPort), path, keysFile: open } },
  ];
  for (const { name, start } of webServers) {
    const port = await freePort();
    candidates.push({ name, child: await started(start(peers, port, upstream)), target: { url: at(port), path, keysFile: open } });
  }
  if (!withoutRedis) {
    await started(startRedis(redisPort ?? 0));
    const config = { folder: peers, port: stockPort ?? 0, adminPort: adminPort ?? 0, redisPort: redisPort ?? 0, upstream };
    const gateway = await started(startExpressGateway(config));
    const stock = await keysIn('stock', await makeCredentials(adminPort ?? 0, few, keysInAll / few));
    candidates.push({
      name: names.stock,
      child: gateway,
      target: { url: at(stockPort), path, keysFile: stock },
    });
  }

  const load = loadavg()[0] ?? 0;
  const database = await MongoClient.connect(infra.env.MONGODB_URL ?? '');
  cleanUps.push(() => database.close());
  const figures = await interleaved(candidates, () => operationsOf(database));
  const own = figures.get(full);
  const base = own?.perSecond.median ?? Number.NaN;
  const lines = [...figures].map(([name, { perSecond, p99Ms, cpu, quotaRequests }]) =>
    row([
      name,
      whole(perSecond.median),
      `${whole(perSecond.min)} – ${whole(perSecond.max)}`,
      p99Ms.median.toFixed(1),
      (base / perSecond.median).toFixed(2),
      (cpu.median * 1_000_000).toFixed(0),
      `${(cpu.median * perSecond.median * 100).toFixed(0)} %`,
      quotaRequests.median.toFixed(1),
    ]),
  );
  const beside = (name: string) => {
    const other = figures.get(name)?.perSecond.median;
    return other === undefined ? 'not measured' : (base / other).toFixed(2);
  };

  if (ours.exitCode !== null) throw new Error('our gateway has exited');
  // Even when idle, these would collect garbage on the core that is measured. Our gateway restarts because it has cached the
  // keys of three candidates by now.
  for (const { child } of candidates) if (child !== proxy) await endProcess(child);
  const port = await freePort();
  await started(startOurs({ env: infra.env, port, upstream }));
  const added = await latencies({
    direct: { url: upstream, path, keysFile: open },
    through: { url: at(port), path, keysFile: counted },
    proxy: { url: at(proxyPort), path, keysFile: open },
  });
  const memory = await memoryAfterWrongKeys(infra.env, upstream);
  const text = `## Gateway

${machine()}, ${await servers(infra.env)}, ${new Date().toISOString().slice(0, 10)}; ${pinning}; all rows of our gateway with the heap of a container of 512 MiB, the chart’s limit, and the flags of the image, the others with the default heap of V8 on this machine; ${loadProgram}, GET with keep-alive, ${keysInAll.toLocaleString('en')} keys in rotation; ${rounds} interleaved rounds after a warm-up, each turn after ${warmSeconds} s of its own warm-up; no request failed, and one response of each run was checked. Load of the machine at the start: ${load.toFixed(2)}. \`npm run bench -- gateway\`.

| | requests/s, median | range | p99, ms | ours / this | µs of CPU per request | core used | MongoDB operations per 1,000 requests |
|---|---|---|---|---|---|---|---|
${lines.join('\n')}
${withoutRedis ? `\nStock express-gateway: ${withoutRedis}.\n` : ''}
"Ours" is the first row. A row that used less than 95% of its core was limited by something else. The MongoDB operations happen in the background: a key in use is read again every five seconds, and the daily quota is reserved in blocks. \`services/gateway/src/credentials/warm-key.test.ts\` ensures that no response waits for a read.

| metric | target | measured |
|---|---|---|
${[
  ['ours / stock express-gateway with its own key-auth and rate-limit', '≥ 7, better 10', beside(names.stock)],
  ['ours / @fastify/http-proxy, without checks', '≥ 0.6', beside(names.proxy)],
  ['with all policies / forwarding only', '≥ 0.75, better 0.85', beside(names.forwarding)],
  ['p99 added at half of our own saturation, ms', '≤ 5', added.added.median.toFixed(1)],
  ['max memory while it receives wrong keys, MiB', 'bounded: 512, the limit of its container', memory.most.toFixed(0)],
]
  .map(row)
  .join('\n')}

At a constant rate, in each of ${latencyRounds} rounds half of the rate at which the gateway had just been saturated (${whole(added.perSecond.median)} requests/s): p99 ${added.through.median.toFixed(1)} ms through the gateway, ${added.direct.median.toFixed(1)} ms without it, ${spread(added.added)} ms added. Through @fastify/http-proxy, at the same rate in the same rounds: ${spread(added.addedByProxy)} ms added.

${wrongKeys.toLocaleString('en')} distinct unknown keys, each from another address and each rejected with 401: the gateway uses ${memory.first.toFixed(0)} MiB after the first tenth, ${memory.last.toFixed(0)} MiB after the last, and at most ${memory.most.toFixed(0)} MiB in between.
`;
  console.log(text);
  await keepResults('gateway', text);
}

/** Mixes the keys, so that those of one account are not adjacent. The order is the same in every run. */
function shuffled(keys: readonly string[]): string[] {
  const stride = 7_919;
  return keys.map((_, index) => keys[(index * stride) % keys.length] ?? '');
}

type Figure = 'perSecond' | 'p99Ms' | 'cpu' | 'quotaRequests';

async function interleaved(candidates: readonly Candidate[], quotaRequestsSoFar: () => Promise<number>) {
  const all = new Map(candidates.map(({ name }) => [name, [] as Record<Figure, number>[]]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const { name, child, target } of candidates) {
      const pid = child.pid ?? 0;
      await saturate(folder, target, warmSeconds);
      const before = { spent: await resourcesOf(pid), quotaRequests: await quotaRequestsSoFar() };
      const { perSecond, p99Ms, requests } = await saturate(folder, target);
      const cpu = ((await resourcesOf(pid)).cpuSeconds - before.spent.cpuSeconds) / requests;
      const quotaRequests = ((await quotaRequestsSoFar()) - before.quotaRequests) / (requests / 1_000);
      console.error(`${round} ${name}: ${whole(perSecond)}/s, p99 ${p99Ms.toFixed(1)} ms, ${(cpu * 1e6).toFixed(0)} µs of CPU`);
      if (round > 0) all.get(name)?.push({ perSecond, p99Ms, cpu, quotaRequests });
    }
  }
  const of = (rates: readonly Record<Figure, number>[], what: Figure) => summaryOf(rates.map((rate) => rate[what]));
  return new Map(
    [...all].map(([name, rates]) => [
      name,
      { perSecond: of(rates, 'perSecond'), p99Ms: of(rates, 'p99Ms'), cpu: of(rates, 'cpu'), quotaRequests: of(rates, 'quotaRequests') },
    ]),
  );
}

/** Reads, writes and commands of MongoDB since its start, without those of replication. */
async function operationsOf(database: MongoClient): Promise<number> {
  const { opcounters } = await database.db('admin').command({ serverStatus: 1 });
  return opcounters.query + opcounters.insert + opcounters.update + opcounters.delete + opcounters.command;
}

function row(cells: readonly string[]) {
  return `| ${cells.join(' | ')} |`;
}

/** Memory of a gateway with the limits of the chart after the first tenth of the unknown keys, at most, and at the end; in MiB. */
async function memoryAfterWrongKeys(env: Record<string, string>, upstream: string) {
  const port = await freePort();
  const gateway = await startOurs({ env: { ...env, TRUSTED_PROXIES: '127.0.0.1' }, port, upstream });
  cleanUps.push(() => endProcess(gateway));
  const tenth = wrongKeys / 10;
  const held: number[] = [];
  for (let sent = 0; sent < wrongKeys; sent += tenth) {
    await sendWrongKeys(`http://127.0.0.1:${port}`, sent, tenth);
    held.push((await resourcesOf(gateway.pid ?? 0)).residentMiB);
  }
  return { first: held[0] ?? Number.NaN, most: Math.max(...held), last: held.at(-1) ?? Number.NaN };
}

/**
 * Latencies at half of the rate that the warm gateway reaches at that time, because the speed of the machine drifts by a
 * third within minutes. The gateway is measured right after saturation, as one that is busy: V8 collects the whole heap of
 * a process that is idle for some seconds, and its helper threads then share the core with the requests for 100 ms or more.
 */
async function latencies({ direct, through, proxy }: Record<'direct' | 'through' | 'proxy', Target>) {
  const seen: Record<'perSecond' | 'direct' | 'through' | 'added' | 'addedByProxy', number>[] = [];
  await saturate(folder, through, compiledSeconds);
  for (let round = 0; round < latencyRounds; round += 1) {
    await saturate(folder, through, warmSeconds);
    const perSecond = Math.floor((await saturate(folder, through)).perSecond / 2);
    const p99Of = async (target: Target) => (await atRate(target, perSecond, warmSeconds, 8)).p99Ms;
    const [within, without, proxied] = [await p99Of(through), await p99Of(direct), await p99Of(proxy)];
    console.error(
      `${round} at ${whole(perSecond)}/s, p99 in ms: direct ${without.toFixed(1)}, ours ${within.toFixed(1)}, http-proxy ${proxied.toFixed(1)}`,
    );
    seen.push({ perSecond, direct: without, through: within, added: within - without, addedByProxy: proxied - without });
  }
  const of = (figure: keyof (typeof seen)[number]) => summaryOf(seen.map((round) => round[figure]));
  return {
    perSecond: of('perSecond'),
    direct: of('direct'),
    through: of('through'),
    added: of('added'),
    addedByProxy: of('addedByProxy'),
  };
}

function spread({ median, min, max }: ReturnType<typeof summaryOf>) {
  return `${median.toFixed(1)} (${min.toFixed(1)} – ${max.toFixed(1)})`;
}

function summaryOf(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}

function part(name: string) {
  return new URL(`gateway/${name}`, import.meta.url).pathname;
}

function whole(value: number) {
  return Math.round(value).toLocaleString('en');
}
