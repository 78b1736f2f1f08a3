import { serviceNames } from '@mp/contracts/services';
import { pause } from '@mp/service-kit/backoff';
import { createClient } from '../tests/client.ts';
import { startBalancer } from '../tests/deploy/balancer.ts';
import { observe, type Spent } from '../tests/observe.ts';
import { startPlatform } from '../tests/platform.ts';
import { writeResults } from './contacts-results.ts';

/**
 * What a replica more costs: processor time for each request and for each imported contact with all that follows, with one process
 * of each service and with several, which must not do anything twice. Each is done twice, because a process that has just started takes
 * several times as long; the second is measured. BENCH_CONTACTS and BENCH_REQUESTS for a short run.
 */
const counts = (process.env.BENCH_REPLICAS ?? '1,3').split(',').map(Number);
const contacts = Number(process.env.BENCH_CONTACTS ?? 5_000);
const requests = Number(process.env.BENCH_REQUESTS ?? 5_000);
const atOnce = 16;

type Cost = { request: number; contact: number; mongo: number; commands: number };

async function measure(count: number): Promise<Cost> {
  const cleanUps: (() => unknown)[] = [];
  const test = { after: (cleanUp: () => unknown) => void cleanUps.push(cleanUp) };
  try {
    const balancers = new Map<string, Awaited<ReturnType<typeof startBalancer>>>();
    for (const name of serviceNames) balancers.set(name, await startBalancer(test));
    const urls = Object.fromEntries([...balancers].map(([name, { url }]) => [`${name.toUpperCase()}_URL`, url]));
    const url = balancers.get('gateway')?.url ?? '';
    const platform = await startPlatform(test, { services: [], env: { ...urls, PUBLIC_URL: url, LOG_LEVEL: 'warn' } });
    const pids: number[] = [];
    for (const name of serviceNames)
      for (let replica = 0; replica < count; replica += 1) {
        const { port, pid } = await platform.replica(name);
        balancers.get(name)?.add(port);
        if (pid !== undefined) pids.push(pid);
      }
    const { spent, untilSettled, close } = await observe(platform);
    const key = await platform.command('key.ts', '--name', 'bench', '--permission', 'admin', '--account', 'bench', '--plan', 'enterprise');
    const client = createClient(url, key);
    const ok = async (response: ReturnType<typeof client.get>) => {
      const { status, text, data } = await response;
      if (status >= 300) throw new Error(`${status} ${text}`);
      return data;
    };
    const definition = { field: 'attributes.score', op: 'lt', value: 35 };
    const segment = await ok(client.post('/v2/segments', { name: 'A third', definition }));
    const trigger = { type: 'segment_entered', segment_id: segment.id };
    const steps = [{ id: 'tag', type: 'add_tag', tag: 'third' }];
    const workflow = await ok(client.post('/v2/workflows', { name: 'A third', status: 'active', trigger, steps }));

    async function cost(work: () => Promise<unknown>, times: number) {
      await untilSettled();
      const before = await spent(pids);
      await work();
      await untilSettled();
      const after = await spent(pids);
      return (of: keyof Spent) => (after[of] - before[of]) / times;
    }
    let imported = 0;
    async function importMore() {
      const rows = Array.from({ length: contacts }, (_, index) => `c${imported + index}@example.com,${index % 100}`);
      imported += contacts;
      const file = ['email,attributes.score:number', ...rows].join('\n');
      const { id } = await ok(client.call('POST', '/v2/contacts/imports', file, { 'content-type': 'text/csv' }));
      while ((await ok(client.get(`/v2/contacts/imports/${id}`))).status !== 'completed') await pause(200);
    }
    async function read() {
      let sent = 0;
      const work = async () => {
        while (sent < requests) {
          sent += 1;
          await ok(client.get('/v2/contacts?limit=1'));
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
    }
    await importMore();
    const ofContacts = await cost(importMore, contacts);
    await read();
    const ofRequests = await cost(read, requests);

    const expected = (imported * 35) / 100;
    const { count: members } = await ok(client.get(`/v2/segments/${segment.id}`));
    const { pagination } = await ok(client.get('/v2/contacts?limit=1&include=total_count&tag=third'));
    let runs = 0;
    for (let cursor = ''; ; ) {
      const page = await ok(client.get(`/v2/workflows/${workflow.id}/runs?limit=100${cursor}`));
      runs += page.items.length;
      if (!page.pagination.next_cursor) break;
      cursor = `&cursor=${page.pagination.next_cursor}`;
    }
    const found = [members, pagination.total_count, runs];
    if (found.some((one) => one !== expected)) throw new Error(`${found} members, tags and runs instead of ${expected}`);
    await close();
    const cpu = ofContacts('cpuMs');
    return { request: ofRequests('cpuMs'), contact: cpu, mongo: ofContacts('mongoCpuMs'), commands: ofContacts('commands') };
  } finally {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  }
}

const costs: Cost[] = [];
for (const count of counts) costs.push(await measure(count));
const ratio = (of: keyof Cost) => ((costs.at(-1)?.[of] ?? Number.NaN) / (costs[0]?.[of] ?? Number.NaN)).toFixed(2);
await writeResults({
  name: 'replicas',
  title: 'More replicas',
  how: `so many processes of each service and of the gateway behind balancers of TCP connections; ${contacts.toLocaleString('en')} imported contacts, of which a third enters a segment and a workflow that adds a tag, until nothing is left to do; ${requests.toLocaleString('en')} reads of a contact list, ${atOnce} at once; each contact has its membership, run and tag once. Both are done twice, and the second is measured. All processes, the load, MongoDB and NATS share this machine.`,
  table: [
    '| processes of each service | CPU per request, ms | CPU per contact, ms | of MongoDB per contact, ms | commands per contact |',
    '|---|---|---|---|---|',
    ...costs.map(
      ({ request, contact, mongo, commands }, index) =>
        `| ${counts[index]} | ${request.toFixed(2)} | ${contact.toFixed(1)} | ${mongo.toFixed(1)} | ${commands.toFixed(1)} |`,
    ),
  ].join('\n'),
  aims: [
    [`CPU per request, ${counts.at(-1)} / ${counts[0]} processes`, '≤ 1.2', ratio('request')],
    ['CPU per contact', '≤ 1.2', ratio('contact')],
  ],
});
