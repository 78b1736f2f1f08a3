import { pause } from '@mp/service-kit/backoff';
import { createClient } from '../tests/client.ts';
import type { Json } from '../tests/contract.ts';
import { startMailSink } from '../tests/mail-sink.ts';
import { memoryOf, observe } from '../tests/observe.ts';
import { quantile } from './compare.ts';
import { writeResults } from './contacts-results.ts';
import { withPlatform } from './platform.ts';

/**
 * Mixed load at a constant rate: 60 % reads, 20 % contacts, 15 % events, 5 % messages and runs. Whether memory and response times
 * grow, what is left to do afterwards, and what a write takes of the disk. BENCH_MINUTES=1 and BENCH_RATE for a short run.
 */
const minutes = Number(process.env.BENCH_MINUTES ?? 30);
const perSecond = Number(process.env.BENCH_RATE ?? 20);
const parts = 6;
const sampledEveryMs = 2_000;
const people = 1_000;

const cleanUps: (() => Promise<void>)[] = [];
const sink = await startMailSink({ after: (cleanUp) => void cleanUps.push(cleanUp) });
type Part = { delays: number[]; memory: Map<string, number[]> };
const measured = Array.from({ length: parts }, (): Part => ({ delays: [], memory: new Map() }));
const median = (values: readonly number[] = []) =>
  quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
const p99 = ({ delays }: Part) =>
  quantile(
    delays.toSorted((a, b) => a - b),
    0.99,
  );
const memoryIn = ({ memory }: Part) => [...memory.values()].reduce((sum, samples) => sum + median(samples), 0);

await withPlatform(
  async (platform) => {
    const { untilSettled, stored, close } = await observe(platform);
    const key = await platform.command('key.ts', '--name', 'soak', '--permission', 'admin', '--account', 'soak', '--plan', 'enterprise');
    const client = createClient(platform.url, key);
    async function call(method: string, path: string, body?: object): Promise<Json> {
      const { status, data, text } = await client.call(method, path, body);
      if (status >= 300) throw new Error(`${method} ${path} returned ${status}: ${text}`);
      return data;
    }
    const contacts = Array.from({ length: people }, (_, n) => ({ external_id: `s${n}`, email: `s${n}@soak.example` }));
    const { results } = await call('POST', '/v2/contacts/batch', { contacts });
    const ids: string[] = results.map(({ id }: Json) => id);
    const segment = await call('POST', '/v2/segments', { name: 'Pro', definition: { field: 'attributes.plan', op: 'eq', value: 'pro' } });
    const steps = [
      { id: 'wait', type: 'delay', for: 'PT5S', next: 'tag' },
      { id: 'tag', type: 'add_tag', tag: 'welcomed' },
    ];
    const workflow = await call('POST', '/v2/workflows', {
      ...{ name: 'Welcome', status: 'active', trigger: { type: 'manual' }, entry: { policy: 'every_time' }, steps },
    });

    const idOf = (n: number) => ids[n % ids.length] ?? '';
    const reads = [
      () => '/v2/contacts?limit=20',
      (n: number) => `/v2/contacts/${idOf(n)}`,
      () => `/v2/segments/${segment.id}/contacts?limit=20`,
      (n: number) => `/v2/contacts/${idOf(n)}/timeline?limit=20`,
      () => '/v2/leadpulse/analytics',
      () => `/v2/workflows/${workflow.id}/runs?limit=20`,
    ];
    let writes = 0;
    /** The n-th request of twenty kinds in turn. */
    function send(n: number): Promise<Json> {
      const kind = n % 20;
      if (kind < 12) return call('GET', (reads[n % reads.length] ?? reads[0])?.(n) ?? '');
      writes += 1;
      if (kind === 12 || kind === 13) return call('POST', '/v2/contacts', { email: `n${n}@soak.example`, attributes: { plan: 'pro' } });
      if (kind < 16) return call('PUT', `/v2/contacts/${idOf(n)}`, { attributes: { plan: n % 40 < 20 ? 'pro' : 'free', visits: n } });
      if (kind < 19)
        return call('POST', '/v2/leadpulse/track', { event: '$pageview', external_id: `s${n % people}`, visitor_id: `v${n % people}` });
      if (n % 40 < 20) return call('POST', `/v2/workflows/${workflow.id}/trigger`, { contact_id: idOf(n) });
      const content = { subject: 'Your order', html: '<p>Thank you.</p>' };
      return call('POST', '/v2/campaigns/messages', { to: { contact_id: idOf(n) }, from: { email: 'shop@example.com' }, content });
    }

    await untilSettled();
    const before = await stored();
    const began = performance.now();
    const totalMs = minutes * 60_000;
    const partAt = () => measured[Math.min(parts - 1, Math.floor(((performance.now() - began) / totalMs) * parts))];
    const sampling = (async () => {
      while (performance.now() - began < totalMs) {
        for (const [name, pid] of platform.processes()) {
          const memory = partAt()?.memory;
          memory?.set(name, [...(memory.get(name) ?? []), await memoryOf(pid)]);
        }
        await pause(sampledEveryMs);
      }
    })();
    const open = new Set<Promise<void>>();
    for (let n = 0; performance.now() - began < totalMs; n += 1) {
      const early = began + (n * 1_000) / perSecond - performance.now();
      if (early > 0) await pause(early);
      const [part, sentAt] = [partAt(), performance.now()];
      const one = send(n).then(() => {
        part?.delays.push(performance.now() - sentAt);
        open.delete(one);
      });
      open.add(one);
    }
    await Promise.all([...open, sampling]);
    const endedAt = performance.now();
    await untilSettled();
    const settledMs = performance.now() - endedAt;
    const grown = ((await stored()) - before) / writes;
    await close();

    const [first, last] = [measured[0], measured.at(-1)];
    if (!first || !last) throw new Error('Nothing was measured.');
    const names = [...first.memory.keys()];
    await writeResults({
      name: 'soak',
      title: 'Mixed load for a long time',
      how: `${minutes} minutes at ${perSecond} requests/s: 60 % reads, 20 % contacts, 15 % events, 5 % messages and runs; memory in MiB (PSS), median of each ${parts}th of the time; all services, the load, MongoDB and NATS on this machine.`,
      table: [
        `| part | p50, ms | p99, ms | ${names.join(' | ')} |`,
        `|---|---|---|${names.map(() => '---|').join('')}`,
        ...measured.map((part, index) => {
          const memory = names.map((name) => median(part.memory.get(name)).toFixed(0));
          return `| ${index + 1} | ${median(part.delays).toFixed(1)} | ${p99(part).toFixed(1)} | ${memory.join(' | ')} |`;
        }),
      ].join('\n'),
      aims: [
        ['memory, last part / first', '≤ 1.05', (memoryIn(last) / memoryIn(first)).toFixed(2)],
        ['p99, last part / first', '≤ 1.2', (p99(last) / p99(first)).toFixed(2)],
        ['until nothing is left to do', 'reported', `${(settledMs / 1_000).toFixed(1)} s`],
        ['bytes in MongoDB and NATS for each write', 'reported', grown.toFixed(0)],
      ],
    });
  },
  { env: { SMTP_URL: sink.url } },
);
for (const cleanUp of cleanUps) await cleanUp();
