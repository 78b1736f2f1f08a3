import { MembershipEntered } from '@mp/contracts/events/segments';
import { parseKeyring } from '@mp/contracts/keyring';
import { pause } from '@mp/service-kit/backoff';
import { createParts } from '@mp/service-kit/service-parts';
import { quantile } from './compare.ts';
import { writeResults } from './contacts-results.ts';
import { withPlatform } from './platform.ts';

const segments = 100;
const perSecond = Number(process.env.BENCH_RATE ?? 200);
const warmUpSeconds = 5;
/** BENCH_SECONDS=5 for a short run, and BENCH_RATE=20 on a busy machine. */
const seconds = Number(process.env.BENCH_SECONDS ?? 30);
const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b);
const cityOf = (index: number) => `City ${index % segments}`;

/**
 * From the response of POST /v2/contacts to the event of the membership, which is published after it can be read, at a constant
 * rate of new contacts.
 */
await withPlatform(
  async (platform) => {
    const client = await platform.client('--permission', 'read_write', '--account', 'bench');
    for (let index = 0; index < segments; index += 1) {
      const definition = { field: 'address.city', op: 'eq', value: cityOf(index) };
      const { status, text } = await client.post('/v2/segments', { name: cityOf(index), definition });
      if (status !== 201) throw new Error(text);
    }
    while ((await client.get('/v2/segments?limit=1&status=building')).data.items.length > 0) await pause(100);

    const keyring = parseKeyring(`bench:${Buffer.alloc(32, 7).toString('base64url')}`);
    const { MONGODB_URL = '', NATS_URL = '' } = process.env;
    const keys = { CONTEXT_KEYS: keyring, CURSOR_KEYS: keyring, LOG_LEVEL: 'silent' };
    const { broker } = createParts({ name: 'segments', NAMESPACE: platform.namespace, MONGODB_URL, NATS_URL, ...keys });
    const [created, entered] = [new Map<string, number>(), new Map<string, number>()];
    broker.start();
    await broker.listen(MembershipEntered.subject, (payload) => {
      entered.set(MembershipEntered.data.parse(Object(payload).data).contact_id, performance.now());
    });

    const total = (warmUpSeconds + seconds) * perSecond;
    const begun = performance.now();
    const sending: Promise<void>[] = [];
    for (let index = 0; index < total; index += 1) {
      const late = begun + (index * 1_000) / perSecond - performance.now();
      if (late > 0) await pause(late);
      const send = async () => {
        const { status, data, text } = await client.post('/v2/contacts', {
          email: `b${index}@example.com`,
          address: { city: cityOf(index) },
        });
        if (status !== 201) throw new Error(text);
        if (index >= warmUpSeconds * perSecond) created.set(data.id, performance.now());
      };
      sending.push(send());
    }
    const rate = total / ((performance.now() - begun) / 1_000);
    await Promise.all(sending);
    while ([...created.keys()].some((id) => !entered.has(id))) await pause(50);
    await broker.stop();

    const inOrder = [...created].map(([id, at]) => Math.max(0, (entered.get(id) ?? Number.NaN) - at));
    const third = Math.ceil(inOrder.length / 3);
    const thirds = [0, 1, 2].map((index) => sorted(inOrder.slice(index * third, (index + 1) * third)));
    const [p50, p99, max] = [0.5, 0.99, 1].map((q) => quantile(sorted(inOrder), q));
    const inThirds = (q: number) => thirds.map((delays) => quantile(delays, q).toFixed(0)).join(', ');
    await writeResults({
      name: 'contact-to-member',
      title: 'From a contact to its segment',
      how: `all services and the load on this machine; ${segments} segments; ${Math.round(rate)} new contacts/s for ${seconds} s after ${warmUpSeconds} s of warm-up; from the response of \`POST /v2/contacts\` to the event of the membership.`,
      table: [
        '| | p50, ms | p99, ms | max, ms |',
        '|---|---|---|---|',
        `| all | ${[p50, p99, max].map((ms) => (ms ?? Number.NaN).toFixed(0)).join(' | ')} |`,
        `| each third of the time | ${[0.5, 0.99, 1].map(inThirds).join(' | ')} |`,
      ].join('\n'),
      aims: [['p99', '≤ 500 ms, better 150', `${(p99 ?? Number.NaN).toFixed(0)} ms`]],
    });
  },
  { services: ['contacts', 'segments', 'gateway'] },
);
