import { MembershipEntered } from '@mp/contracts/events/segments';
import { parseKeyring } from '@mp/contracts/keyring';
import { subjectIn } from '@mp/contracts/lanes';
import { pause } from '@mp/service-kit/backoff';
import { createParts } from '@mp/service-kit/service-parts';
import { cpuMsOf, observe, type Spent } from '../tests/observe.ts';
import { quantile } from './compare.ts';
import { writeResults } from './contacts-results.ts';
import { withPlatform } from './platform.ts';

/**
 * An import and all that follows from it: ten segments with 2.9 memberships of each contact, a workflow that a third of them enter,
 * timelines. Counts what it costs MongoDB, which does not depend on the machine, and how long another account waits meanwhile.
 * BENCH_CONTACTS=1500 for a short run; BENCH_DETAILS=1 prints what each collection and process costs.
 */
const sizes = (process.env.BENCH_CONTACTS ?? '1500,100000').split(',').map(Number);

/** The shares of contacts in the ten segments. */
const shares = [5, 10, 15, 20, 25, 30, 35, 40, 50, 60];
const shareOfWorkflow = 35;

const probeEveryMs = 250;

const fileOf = (count: number, run: string) =>
  [
    'email,first_name,company,attributes.score:number',
    ...Array.from({ length: count }, (_, index) => `c${index}-${run}@example.com,First ${index},Company ${index % 500},${index % 100}`),
  ].join('\n');

await withPlatform(async (platform) => {
  const [loud, quiet] = [await accountOf('bulk'), await accountOf('quiet')];
  const { MONGODB_URL = '', NATS_URL = '' } = platform.infra.env;
  const { mongo, databaseOf, spent, untilSettled, close } = await observe(platform);
  const keyring = parseKeyring(`bench:${Buffer.alloc(32, 7).toString('base64url')}`);
  const keys = { CONTEXT_KEYS: keyring, CURSOR_KEYS: keyring, LOG_LEVEL: 'silent' };
  const { broker } = createParts({ name: 'segments', NAMESPACE: platform.namespace, MONGODB_URL, NATS_URL, ...keys });
  const entered = new Map<string, number>();
  broker.start();
  for (const lane of ['live', 'bulk'] as const)
    await broker.listen(subjectIn(lane, MembershipEntered.subject), (payload) => {
      entered.set(MembershipEntered.data.parse(Object(payload).data).contact_id, performance.now());
    });

  async function accountOf(name: string) {
    const client = await platform.client('--permission', 'read_write', '--account', name);
    const ids: string[] = [];
    for (const share of shares) {
      const definition = { field: 'attributes.score', op: 'lt', value: share };
      const { status, data, text } = await client.post('/v2/segments', { name: `${share} %`, definition });
      if (status !== 201) throw new Error(text);
      ids.push(data.id);
    }
    while ((await client.get('/v2/segments?limit=1&status=building')).data.items.length > 0) await pause(100);
    const { status, text } = await client.post('/v2/workflows', {
      name: 'A third',
      status: 'active',
      trigger: { type: 'segment_entered', segment_id: ids[shares.indexOf(shareOfWorkflow)] },
      steps: [{ id: 'tag', type: 'add_tag', tag: 'third' }],
    });
    if (status !== 201) throw new Error(text);
    return client;
  }

  /** Statements by collection, and CPU milliseconds by process. */
  async function details(): Promise<Map<string, number>> {
    const { totals } = await mongo.db('admin').command({ top: 1 });
    const own = Object.entries<{ total: { count: number } }>(totals).filter(([name]) => name.startsWith(platform.namespace));
    const cpu = await Promise.all(platform.processes().map(async ([name, pid]) => [`CPU ms ${name}`, await cpuMsOf(pid)] as const));
    return new Map([...own.map(([name, { total }]) => [name.slice(platform.namespace.length + 1), total.count] as const), ...cpu]);
  }

  const tables: string[] = [];
  for (const count of sizes) {
    const run = `${count}-${Date.now().toString(36)}`;
    const waits: number[] = [];
    const posts: number[] = [];
    let isOver = false;
    const post = async (client: typeof quiet, email: string) => {
      const begun = performance.now();
      const { status, data, text } = await client.post('/v2/contacts', { email, attributes: { score: 1 } });
      if (status !== 201) throw new Error(text);
      return { id: String(data.id), begun, respondedAt: performance.now() };
    };
    async function probe() {
      const pending: { id: string; respondedAt: number }[] = [];
      for (let index = 0; !isOver; index += 1) {
        pending.push(await post(quiet, `q${index}-${run}@example.com`));
        const { begun, respondedAt } = await post(loud, `l${index}-${run}@example.com`);
        posts.push(respondedAt - begun);
        await pause(probeEveryMs);
      }
      while (pending.some(({ id }) => !entered.has(id))) await pause(50);
      for (const { id, respondedAt } of pending) waits.push(Math.max(0, (entered.get(id) ?? Number.NaN) - respondedAt));
    }
    const importAll = async (probes: boolean) => {
      const before = { ...(await spent()), details: await details() };
      const begun = performance.now();
      const probing = probes ? probe() : Promise.resolve();
      const {
        data: job,
        status,
        text,
      } = await loud.call('POST', '/v2/contacts/imports', fileOf(count, `${run}${probes}`), {
        'content-type': 'text/csv',
      });
      if (status !== 202) throw new Error(text);
      while (!['completed', 'failed'].includes((await loud.get(`/v2/contacts/imports/${job.id}`)).data.status)) await pause(200);
      const importedMs = performance.now() - begun;
      isOver = true;
      await probing;
      await untilSettled();
      const settledMs = performance.now() - begun;
      const after = { ...(await spent()), details: await details() };
      const runs = await databaseOf('workflows').collection('runs').countDocuments();
      if (runs < (count * shareOfWorkflow) / 100) throw new Error(`Only ${runs} runs started.`);
      if (process.env.BENCH_DETAILS)
        console.table(
          [...after.details]
            .map(([name, total]) => ({ name, each: (total - (before.details.get(name) ?? 0)) / count }))
            .filter(({ each }) => each > 0.05)
            .sort((a, b) => b.each - a.each),
        );
      return { importedMs, settledMs, each: (of: keyof Spent) => (after[of] - before[of]) / count };
    };
    const alone = await importAll(false);
    isOver = false;
    const beside = await importAll(true);
    const at = (values: number[], q: number) =>
      quantile(
        values.toSorted((a, b) => a - b),
        q,
      )?.toFixed(0) ?? '–';
    tables.push(
      `| ${count.toLocaleString('en')} | ${alone.each('commands').toFixed(1)} · ${alone.each('documents').toFixed(1)} · ${alone.each('commits').toFixed(2)} · ${(alone.each('cpuMs') + alone.each('mongoCpuMs')).toFixed(1)} ms | ${((100 * alone.each('aborts')) / (alone.each('aborts') + alone.each('commits'))).toFixed(1)} % ` +
        `| ${(count / (alone.importedMs / 1_000)).toFixed(0)} | ${(count / (alone.settledMs / 1_000)).toFixed(0)} ` +
        `| ${(count / (beside.settledMs / 1_000)).toFixed(0)} | ${at(waits, 0.5)}, ${at(waits, 0.99)} | ${at(posts, 0.5)}, ${at(posts, 0.95)} |`,
    );
    console.log(tables.at(-1));
  }
  await broker.stop();
  await close();

  await writeResults({
    name: 'bulk-import',
    title: 'An import and what follows from it',
    how: `all services and the load on this machine; ten segments with 2.9 memberships of each contact, a workflow that a third of them enter and that adds a tag, timelines; settled: every consumer has applied everything and no run is active. Another account and the importing one create a contact every ${probeEveryMs} ms until the file is read, in a second run.`,
    table: [
      '| contacts | per contact: commands · documents · commits · CPU | transactions aborted | imported/s | settled/s | settled/s beside the others | other account: contact → segment p50, p99, ms | POST of the importing account p50, p95, ms |',
      '|---|---|---|---|---|---|---|---|',
      ...tables,
    ].join('\n'),
    aims: [
      ['per imported contact', '4 · 30 · 0.4 · 8 ms', 'above'],
      ['settled per second', '250', 'above'],
      ['another account, p99', '1 s', 'above'],
    ],
  });
});
