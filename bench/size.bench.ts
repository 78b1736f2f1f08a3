import { pause } from '@mp/service-kit/backoff';
import { createClient } from '../tests/client.ts';
import type { Json } from '../tests/contract.ts';
import { startMailSink } from '../tests/mail-sink.ts';
import { observe } from '../tests/observe.ts';
import { quantile } from './compare.ts';
import { writeResults } from './contacts-results.ts';
import { withPlatform } from './platform.ts';

/**
 * What grows with the data of an account: the same requests through the gateway for accounts of several sizes, in turn. Each account has
 * so many contacts, events, recipients of a campaign, and runs that wait. They are made through the API, at the speed that
 * [Capacity](../docs/operations-capacity.md) says: a million takes hours; docs/decisions/0409 says why ten millions are not tried.
 * BENCH_SIZES=1000,10000 for a short run.
 */
const sizes = (process.env.BENCH_SIZES ?? '100000,1000000').split(',').map(Number);
const rounds = Number(process.env.BENCH_ROUNDS ?? 100);
const eventsAtOnce = 1_000;
/** These read every event of their range, so they are requested in a tenth of the rounds, and have an aim for each event. */
const reports = ['a query over all events', 'a funnel over all events'];
const roundsPerReport = 10;

const cleanUps: (() => Promise<void>)[] = [];
const sink = await startMailSink({ after: (cleanUp) => void cleanUps.push(cleanUp) });

await withPlatform(
  async (platform) => {
    const { untilSettled, close } = await observe(platform);

    /** Fills an account, and returns what is read of it. */
    async function fill(size: number): Promise<Map<string, () => Promise<Json>>> {
      const name = `size${size}`;
      const key = await platform.command('key.ts', '--name', name, '--permission', 'admin', '--account', name, '--plan', 'enterprise');
      const client = createClient(platform.url, key);
      const call = async (method: string, path: string, body?: Json, type = 'application/json'): Promise<Json> => {
        const { status, data, text } = await client.call(method, path, body, { 'content-type': type });
        if (status >= 300) throw new Error(`${method} ${path} returned ${status}: ${text}`);
        return data;
      };
      const get = (path: string) => () => call('GET', path);
      let turn = 0;
      /** Until the result is there, also of a report that runs as a job. A report that differs from all before it is not taken from them. */
      const report = (path: string, bodyOf: (turn: number) => Json) => async () => {
        turn += 1;
        let found = await call('POST', path, bodyOf(turn));
        while (found.status === 'queued' || found.status === 'running') {
          await pause(20);
          found = await call('GET', `/v2/leadpulse/reports/${found.id}`);
        }
        if (found.status === 'failed') throw new Error(`${path} failed: ${found.error}`);
        return found;
      };
      const segment = await call('POST', '/v2/segments', { name: 'All', definition: { field: 'attributes.score', op: 'gte', value: 0 } });
      const workflow = await call('POST', '/v2/workflows', {
        ...{ name: 'Waits', status: 'active', trigger: { type: 'segment_entered', segment_id: segment.id } },
        steps: [{ id: 'wait', type: 'delay', for: 'P300D' }],
      });
      const rows = Array.from({ length: size }, (_, n) => `p${n},person${n}@${name}.example,Person ${n % 5_000},${n % 100}`);
      const file = ['external_id,email,first_name,attributes.score:number', ...rows].join('\n');
      const { id } = await call('POST', '/v2/contacts/imports?default_consent=subscribed', file, 'text/csv');
      while ((await call('GET', `/v2/contacts/imports/${id}`)).status !== 'completed') await pause(500);
      for (let first = 0; first < size; first += eventsAtOnce)
        await call('POST', '/v2/leadpulse/track', {
          events: Array.from({ length: Math.min(eventsAtOnce, size - first) }, (_, index) => ({
            ...{
              event: '$pageview',
              visitor_id: `v${(first + index) % Math.ceil(size / 10)}`,
              external_id: `p${(first + index) % Math.ceil(size / 10)}`,
            },
            context: { page: { url: `https://shop.example/p${(first + index) % 300}` } },
          })),
        });
      await untilSettled({ withRuns: false });
      const campaign = await call('POST', '/v2/campaigns', {
        ...{
          name: 'News',
          subject: 'News',
          from: { email: 'news@example.com' },
          html: '<p>Hello</p>',
          audience: { include: [segment.id] },
        },
      });
      await call('POST', `/v2/campaigns/${campaign.id}/send`, {});
      while ((await call('GET', `/v2/campaigns/${campaign.id}`)).status !== 'sent') await pause(500);
      await untilSettled({ withRuns: false });
      const [contact] = (await call('GET', `/v2/contacts?q=person${size - 1}`)).items;
      let changes = 0;
      return new Map<string, () => Promise<Json>>([
        ['contacts, a page', get('/v2/contacts?limit=50')],
        ['contacts, a search', get(`/v2/contacts?q=person${size - 1}&limit=50`)],
        ['contacts, by an attribute', get('/v2/contacts?attributes.score=7&limit=50')],
        ['a contact and its timeline', get(`/v2/contacts/${contact.id}/timeline?limit=50`)],
        ['members of a segment', get(`/v2/segments/${segment.id}/contacts?limit=50`)],
        [
          'a change until it is in its segment',
          async () => {
            changes += 1;
            await call('PUT', `/v2/contacts/${contact.id}`, { attributes: { score: changes % 2 === 0 ? 1 : -1 } });
            return call('GET', `/v2/segments/${segment.id}/contacts?limit=1&consistent=true`);
          },
        ],
        ['analytics of the website', get('/v2/leadpulse/analytics')],
        ['visitors, a page', get('/v2/leadpulse/visitors?limit=50')],
        ['events, a page', get('/v2/leadpulse/events?limit=50')],
        [reports[0] ?? '', report('/v2/leadpulse/query', (n) => ({ metrics: ['events', 'visitors'], dimensions: ['page'], limit: n }))],
        [reports[1] ?? '', report('/v2/leadpulse/funnels', (n) => ({ steps: [{ page: '/p1' }, { page: '/p2' }], window: `P${n}D` }))],
        ['segments, a page', get('/v2/segments?limit=50')],
        ['campaigns, a page', get('/v2/campaigns?limit=50')],
        ['analytics of a campaign', get(`/v2/campaigns/${campaign.id}/analytics`)],
        ['recipients, a page', get(`/v2/campaigns/${campaign.id}/ledger?limit=50`)],
        ['analytics of a workflow', get(`/v2/workflows/${workflow.id}/analytics`)],
        ['runs, a page', get(`/v2/workflows/${workflow.id}/runs?limit=50`)],
      ]);
    }

    const accounts: Map<string, () => Promise<Json>>[] = [];
    for (const size of sizes) accounts.push(await fill(size));
    const names = [...(accounts[0]?.keys() ?? [])];
    const delays = new Map(names.map((name) => [name, sizes.map((): number[] => [])]));
    for (let round = 0; round <= rounds; round += 1)
      for (const name of names.filter((one) => round % roundsPerReport === 0 || !reports.includes(one)))
        for (const [index, account] of accounts.entries()) {
          const began = performance.now();
          await account.get(name)?.();
          if (round > 0) delays.get(name)?.[index]?.push(performance.now() - began);
        }
    await close();
    const figures = [...delays].map(([name, each]) => {
      const sorted = each.map((values) => values.toSorted((a, b) => a - b));
      const p50s = sorted.map((values) => quantile(values, 0.5));
      return {
        name,
        p50s,
        p99s: sorted.map((values) => quantile(values, 0.99)),
        ratio: (p50s.at(-1) ?? Number.NaN) / (p50s[0] ?? Number.NaN),
      };
    });
    const worst = (some: typeof figures) => Math.max(...some.map(({ ratio }) => ratio));
    const isReport = ({ name }: { name: string }) => reports.includes(name);
    const growth = (sizes.at(-1) ?? Number.NaN) / (sizes[0] ?? Number.NaN);
    const shown = sizes.map((size) => size.toLocaleString('en'));
    await writeResults({
      name: 'size',
      title: 'What grows with the data',
      how: `accounts with ${shown.join(' and ')} contacts, events, recipients and waiting runs each, in one platform; milliseconds of a request through the gateway, one at a time, ${rounds} of each account in turn after a warm-up. A query and a funnel read every event, which is a job beyond 100,000; there are ${Math.floor(rounds / roundsPerReport)} of them, each until its result is there.`,
      table: [
        `| p50, p99 | ${shown.join(' | ')} | p50 ratio |`,
        `|---|${sizes.map(() => '---|').join('')}---|`,
        ...figures.map(({ name, p50s, p99s, ratio }) => {
          const cells = p50s.map((p50, index) => `${p50.toFixed(1)}, ${p99s[index]?.toFixed(1)}`);
          return `| ${name} | ${cells.join(' | ')} | ${ratio.toFixed(2)} |`;
        }),
      ].join('\n'),
      aims: [
        ['p50 of the largest / the smallest, worst request', '≤ 1.5', worst(figures.filter((one) => !isReport(one))).toFixed(2)],
        ['the same of a query and a funnel, for each event', '≤ 1.5', (worst(figures.filter(isReport)) / growth).toFixed(2)],
      ],
    });
  },
  { env: { SMTP_URL: sink.url } },
);
for (const cleanUp of cleanUps) await cleanUp();
