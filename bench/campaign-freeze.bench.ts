import { newId } from '@mp/ids';
import { createAudiencePages } from '../services/campaigns/src/audience/audience-pages.ts';
import { createFindMailable } from '../services/campaigns/src/audience/contactables/mailable-contacts.ts';
import { createFreezeAudience } from '../services/campaigns/src/audience/freeze-audience.ts';
import { createRequireSegments } from '../services/campaigns/src/audience/require-segments.ts';
import { createCampaignWorker } from '../services/campaigns/src/campaigns/campaign-worker.ts';
import { defaultTimings } from '../services/campaigns/src/delivery/sending/timings.ts';
import { newRecipient, recipientsOf } from '../services/campaigns/src/ledger/recipients/recipient-row.ts';
import { createStores } from '../services/campaigns/src/stores.ts';
import { campaignsConfig, subscribers, withCampaigns } from './campaigns/campaigns-service.ts';
import { compare, comparison } from './compare.ts';
import { writeResults } from './contacts-results.ts';

/** Rows per second that an audience is written into the ledger, beside bare inserts. BENCH_ROWS=2000 and BENCH_ROUNDS=1 for a short run. */
const count = Number(process.env.BENCH_ROWS ?? 50_000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
/** As many as a freeze writes in one transaction. */
const atOnce = 500;
const people = subscribers(count);

await withCampaigns({ people, live: false }, async ({ parts, accountId, send }) => {
  const { mongo, broker, logger } = parts;
  const stores = createStores({ ...parts, publishAudience: async () => undefined }, campaignsConfig(''));
  let frozen: () => void = () => undefined;
  const suspended = { has: () => false, all: () => [] };
  const leaseMs = defaultTimings.freezeLeaseMs;
  const freezeAudience = createFreezeAudience({
    ...{ mongo, ...stores, suspended, leaseMs },
    audiencePages: createAudiencePages(broker),
    findMailable: createFindMailable({ ...stores, broker }),
    // The wait for the events of contacts that were confirmed before is not a part of what is measured.
    findAudienceMoment: async () => ({ asOf: new Date() }),
    requireSegments: createRequireSegments(broker),
    requireSender: async () => undefined,
    onReady: () => frozen(),
  });
  const worker = createCampaignWorker({ mongo, ...stores, freezeAudience, leaseMs, suspended, logger });
  const rows = recipientsOf(mongo.db);

  /** Rows per second of what writes all rows; they are removed afterwards. */
  async function rateOf(write: () => Promise<unknown>) {
    const begun = performance.now();
    await write();
    const rate = count / ((performance.now() - begun) / 1_000);
    const { deletedCount } = await rows.deleteMany({ account_id: accountId });
    if (deletedCount !== count) throw new Error(`${deletedCount} rows were written, not ${count}.`);
    return rate;
  }

  async function insert() {
    const id = newId('campaign');
    const source = { account_id: accountId, source: 'campaign' as const, source_id: id, source_key: id, content_id: id };
    for (let first = 0; first < count; first += atOnce) {
      const page = people.slice(first, first + atOnce);
      await rows.insertMany(
        page.map((contact) => newRecipient({ ...source, contact_id: contact.id }, false, new Date())),
        { ordered: false },
      );
    }
  }

  const freeze = (audience: string) =>
    rateOf(async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      frozen = resolve;
      await send(audience);
      worker.wake();
      await promise;
    });

  worker.start();
  const figures = await compare(
    'Freezing',
    'rows/s',
    [
      { name: `insertMany, ${atOnce} rows per call`, run: () => rateOf(insert) },
      { name: 'a segment', run: () => freeze(newId('segment')) },
      { name: 'all contacts', run: () => freeze('all') },
    ],
    rounds,
  );
  await worker.stop();
  const [base = Number.NaN, segment = Number.NaN, all = Number.NaN] = [...figures.values()].map(({ median }) => median);
  await writeResults({
    name: 'campaign-freeze',
    title: 'Campaigns: freezing an audience',
    how: `${count.toLocaleString('en')} recipients per round, the same documents with the same indexes, one write at a time; from \`POST /v2/campaigns/:id/send\` until the last row is in the ledger; doubles of contacts and segments reply over NATS from a thread of their own; ${rounds} interleaved rounds after a warm-up.`,
    table: comparison('rows/s', figures),
    aims: [
      ['freezing a segment / insertMany', '≥ 0.4', (segment / base).toFixed(2)],
      ['freezing all contacts / insertMany', '≥ 0.4', (all / base).toFixed(2)],
    ],
  });
});
