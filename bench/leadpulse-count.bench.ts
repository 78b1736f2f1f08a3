import { newId } from '@mp/ids';
import { countEvents, testCounting } from '../services/leadpulse/test/counting.ts';
import { compare, comparison, summary } from './compare.ts';
import { writeResults } from './contacts-results.ts';
import { startParts } from './in-process.ts';
import { newEvents } from './leadpulse-events.ts';

/** Counting a backlog of stored events of one account. BENCH_EVENTS=2000 and BENCH_ROUNDS=1 for a short run. */
const backlog = Number(process.env.BENCH_EVENTS ?? 100_000);
/** Fewer past events, because each is a session of its own. */
const pastBacklog = Math.ceil(backlog / 5);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const atOnce = 1_000;

const parts = await startParts('leadpulse');
const { mongo } = parts;
const counting = testCounting(parts);
const stores = [counting.events, counting.visitors, counting.sessions, counting.rollups, counting.visitorDays, counting.identities];
for (const store of stores) await store.prepare();

/** The seconds and the processor seconds of this process until the last event of the backlog was counted, by round and kind. */
const spent = { recent: [] as number[], past: [] as number[] };
const perCpuSecond = { recent: [] as number[], past: [] as number[] };

async function store(count: number, past: boolean) {
  const accountId = newId('account');
  for (let first = 0; first < count; first += atOnce)
    await counting.events.insert(newEvents(accountId, Math.min(atOnce, count - first), { first, past }));
  return accountId;
}

/** Counts visitors, sessions, rollups and published events until `as_of` of the analytics has passed the backlog. */
async function counted(kind: 'recent' | 'past'): Promise<number> {
  const count = kind === 'past' ? pastBacklog : backlog;
  const accountId = await store(count, kind === 'past');
  const [from, before] = [performance.now(), process.cpuUsage()];
  let total = 0;
  for (let more = 1; more > 0; total += more) more = await countEvents(counting, accountId);
  const seconds = (performance.now() - from) / 1_000;
  const { user, system } = process.cpuUsage(before);
  if (total !== count || (await counting.events.oldestPending(accountId))) throw new Error(`${total} of ${count} events were counted.`);
  spent[kind].push(seconds);
  perCpuSecond[kind].push(total / ((user + system) / 1_000_000));
  return total / seconds;
}

/** The same events, only inserted. */
async function inserted(): Promise<number> {
  const accountId = newId('account');
  const batches = Array.from({ length: Math.ceil(backlog / atOnce) }, (_, index) =>
    newEvents(accountId, Math.min(atOnce, backlog - index * atOnce)),
  );
  const from = performance.now();
  for (const batch of batches) await counting.events.insert(batch);
  return backlog / ((performance.now() - from) / 1_000);
}

const cleaned = (run: () => Promise<number>) => async () => {
  const rate = await run();
  for (const { collectionName } of await mongo.db.collections()) await mongo.db.collection(collectionName).deleteMany({});
  return rate;
};

try {
  const figures = await compare(
    'Counting',
    'events/s',
    [
      { name: `insertMany of the same events, ${atOnce.toLocaleString('en')} per call`, run: cleaned(inserted) },
      { name: 'counting recent events', run: cleaned(() => counted('recent')) },
      { name: 'counting past events, one per minute', run: cleaned(() => counted('past')) },
    ],
    rounds,
  );
  // The first is the warm-up.
  const of = (values: readonly number[]) => summary(values.slice(1));
  const cpu = (values: readonly number[]) => Math.round(of(values).median).toLocaleString('en');
  await writeResults({
    name: 'leadpulse-count',
    title: 'LeadPulse: counting events',
    how: `a backlog of ${backlog.toLocaleString('en')} stored events of 500 visitors of one account (${pastBacklog.toLocaleString('en')} past ones), until all are in visitors, sessions, rollups and the outbox, one batch at a time as one process counts an account; ${rounds} interleaved rounds after a warm-up.`,
    table: comparison('events/s', figures),
    aims: [
      ['recent events per second of processor time of the service', 'reported', cpu(perCpuSecond.recent)],
      ['past events per second of processor time of the service', 'reported', cpu(perCpuSecond.past)],
      [
        `the backlog of ${backlog.toLocaleString('en')} recent events is counted, slowest round`,
        '≤ 120 s',
        `${of(spent.recent).max.toFixed(1)} s`,
      ],
    ],
  });
} finally {
  await mongo.db.dropDatabase();
  await mongo.stop();
}
