import type { ServiceName } from '@mp/contracts/services';
import { pause } from '@mp/service-kit/backoff';
import { createClient } from '../tests/client.ts';
import { writeResults } from './contacts-results.ts';
import { csvOf, row } from './contacts-service.ts';
import { withPlatform } from './platform.ts';

/**
 * How fast each service applies a backlog of changed contacts: its process is stopped, contacts are imported and published, and it is
 * started again while the others do nothing. BENCH_CONTACTS for a short run.
 */
const contacts = Number(process.env.BENCH_CONTACTS ?? 20_000);
const segments = 10;
const consumers = ['segments', 'campaigns', 'workflows'] as const;

await withPlatform(
  async (platform) => {
    const key = await platform.command(
      'key.ts',
      ...['--name', 'bench', '--permission', 'admin', '--account', 'bench', '--plan', 'enterprise'],
    );
    const client = createClient(platform.url, key);
    /** The sum over both lanes; NaN if there is no such sample. */
    const value = async (service: ServiceName, sample: string) => {
      const lines = (await platform.metrics(service)).split('\n').filter((one) => one.startsWith(sample));
      return lines.length === 0 ? Number.NaN : lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    };

    for (let index = 0; index < segments; index += 1) {
      const definition = { field: 'address.city', op: 'eq', value: `City ${index}` };
      const { status, text } = await client.post('/v2/segments', { name: `City ${index}`, definition });
      if (status !== 201) throw new Error(text);
    }
    while ((await client.get('/v2/segments?limit=1&status=building')).data.items.length > 0) await pause(100);
    for (const service of consumers) await platform.stop(service);
    const file = csvOf(Array.from({ length: contacts }, (_, index) => row(index)));
    const { data: job, status, text } = await client.call('POST', '/v2/contacts/imports', file, { 'content-type': 'text/csv' });
    if (status !== 202) throw new Error(text);
    while ((await client.get(`/v2/contacts/imports/${job.id}`)).data.status !== 'completed') await pause(500);
    while ((await value('contacts', 'outbox_pending_rows')) > 0) await pause(500);

    const rows: string[] = [];
    for (const service of consumers) {
      const consumer = `${service}-contacts`;
      const progress = async () => ({
        done: await value(service, `events_consumed_total{consumer="${consumer}",outcome="done"`),
        cpu: await value(service, 'process_cpu_seconds_total'),
        at: performance.now(),
      });
      await platform.start(service);
      const before = await progress();
      while ((await value(service, `consumer_lag_events{consumer="${consumer}"`)) !== 0) await pause(100);
      const after = await progress();
      if (after.done < contacts) throw new Error(`${consumer} applied ${after.done} of ${contacts} events.`);
      const [events, seconds, cpu] = [after.done - before.done, (after.at - before.at) / 1_000, after.cpu - before.cpu];
      const perCpuSecond = Math.round(events / cpu).toLocaleString('en');
      rows.push(
        `| \`${consumer}\` | ${Math.round(events / seconds).toLocaleString('en')} | ${perCpuSecond} | ${((cpu / seconds) * 100).toFixed(0)} % |`,
      );
      await platform.stop(service);
    }
    await writeResults({
      name: 'consumers',
      title: 'Consumers: a backlog of changed contacts',
      how: `${contacts.toLocaleString('en')} contacts of one account, imported and published while the service was stopped; from its readiness until its lag is 0, as its own metrics show it, one service at a time, with MongoDB and NATS on the same machine. segments evaluates ${segments} segments; campaigns and workflows keep what they need of each contact.`,
      table: [
        '| consumer | events/s | events per second of processor time of the service | core used |',
        '|---|---|---|---|',
        ...rows,
      ].join('\n'),
      aims: [['every event is applied', 'yes', 'yes']],
    });
  },
  { services: ['gateway', 'contacts', 'segments', 'campaigns', 'workflows'], metrics: true },
);
