import { type AccountId, newId } from '@mp/ids';
import { createCountersStore } from '../services/campaigns/src/ledger/counters/counters-store.ts';
import { newRecipient, type RecipientDocument, recipientsOf } from '../services/campaigns/src/ledger/recipients/recipient-row.ts';
import { withCampaigns } from './campaigns/campaigns-service.ts';
import { quantile, summary } from './compare.ts';
import { writeResults } from './contacts-results.ts';

/** The report of a large campaign beside that of a small one. BENCH_RECIPIENTS=10000 and BENCH_ROUNDS=1 for a short run. */
const small = 1_000;
const large = Number(process.env.BENCH_RECIPIENTS ?? 1_000_000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const reportsPerRound = 100;
const atOnce = 2_000;

await withCampaigns({ people: [], live: false }, async ({ parts, accountId, call }) => {
  const counters = createCountersStore(parts.mongo);

  /** A sent campaign whose rows are counted as they are in operation. */
  async function campaignOf(count: number): Promise<string> {
    const body = { name: 'Bench', subject: 'Hi', from: { email: 'news@example.com' }, html: '<p>Hi</p>', audience: { include: ['all'] } };
    const { id } = await call('POST', '/v2/campaigns', body);
    for (let first = 0; first < count; first += atOnce) {
      const rows = Array.from({ length: Math.min(atOnce, count - first) }, (_, index) => rowOf(accountId, id, first + index));
      await recipientsOf(parts.mongo.db).insertMany(rows, { ordered: false });
      while ((await counters.count()) > 0);
    }
    await parts.mongo.db
      .collection('campaigns')
      .updateOne({ account_id: accountId, name: 'Bench', audience_count: null }, { $set: { audience_count: count } });
    return id;
  }

  const [few, many] = [await campaignOf(small), await campaignOf(large)];
  const times = { few: [] as number[][], many: [] as number[][] };

  async function timesOf(id: string): Promise<number[]> {
    const these: number[] = [];
    for (let report = 0; report < reportsPerRound; report += 1) {
      const began = performance.now();
      await call('GET', `/v2/campaigns/${id}/analytics?by=hour`);
      these.push(performance.now() - began);
    }
    return these.sort((a, b) => a - b);
  }

  for (let round = 0; round <= rounds; round += 1) {
    const [of, ofMany] = [await timesOf(few), await timesOf(many)];
    if (round === 0) continue;
    times.few.push(of);
    times.many.push(ofMany);
  }
  const p = (q: number, turns: readonly number[][]) => summary(turns.map((turn) => quantile(turn, q)));
  const ms = ({ median, min, max }: ReturnType<typeof summary>) => `${median.toFixed(1)} (${min.toFixed(1)} – ${max.toFixed(1)})`;
  const row = (count: number, turns: readonly number[][]) =>
    `| ${count.toLocaleString('en')} | ${ms(p(0.5, turns))} | ${ms(p(0.99, turns))} |`;
  const [base, most] = [p(0.5, times.few).median, p(0.5, times.many).median];
  await writeResults({
    name: 'campaign-report',
    title: 'Campaigns: the report of a large one',
    how: `the analytics of a campaign by hour, ${reportsPerRound} reads of each in turn; ${rounds} interleaved rounds after a warm-up; milliseconds in the service, median and range over the rounds.`,
    table: ['| recipients | p50 | p99 |', '|---|---|---|', row(small, times.few), row(large, times.many)].join('\n'),
    aims: [
      [`p50 with ${large.toLocaleString('en')} recipients / with ${small.toLocaleString('en')}`, '≤ 2', (most / base).toFixed(2)],
      [`p50 with ${large.toLocaleString('en')} recipients`, '≤ 20 ms', `${most.toFixed(1)} ms`],
    ],
  });
});

function rowOf(account_id: AccountId, id: string, index: number): RecipientDocument {
  const at = new Date('2026-06-01T10:00:00Z');
  const source = { account_id, source: 'campaign' as const, source_id: id, source_key: id, content_id: id };
  return {
    ...newRecipient({ ...source, contact_id: newId('contact') }, false, at),
    ...{
      state: index % 50 === 0 ? 'bounced' : 'sent',
      address: `p${index}@domain${index % 500}.example`,
      sent_at: at,
      tally_changed: true,
    },
    ...(index % 4 === 0 && { tally: { opened: { human: 1 } }, parts: { [`hour_2026-06-01T1${index % 10}_opened_human`]: 1 } }),
  };
}
