import { type Collection, type Db, type Document, MongoClient } from 'mongodb';
import { dateForm } from './form-past.ts';
import type { DemoForm } from './sign-ups.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Over how many days the contacts of the demo came. */
const growthDays = 89;
/** For how many hours an email is opened and clicked. */
const reportHours = 60;

type Owned = Document & { _id: string; account_id: string };

type Past = {
  accountId: string;
  /** Contacts that were created since then get an earlier date. */
  since: Date;
  /** The campaigns that were sent in this run, with how many days ago they were sent. */
  campaigns: readonly { id: string; daysAgo: number }[];
  form: DemoForm;
};

/**
 * Dates the contacts, campaigns and sign-ups of this run back, so that the account has a history. The API only creates things now, so
 * this writes to the databases of contacts, campaigns and LeadPulse. Returns whether it could.
 */
export async function datePast({ accountId, since, campaigns, form }: Past): Promise<boolean> {
  const { MONGODB_URL: url, NAMESPACE: namespace = '' } = process.env;
  if (url === undefined) return false;
  const mongo = await MongoClient.connect(url);
  const dbOf = (service: string) => mongo.db(namespace ? `${namespace}_${service}` : service);
  try {
    await dateContacts(dbOf('contacts').collection<Owned>('contacts'), accountId, since);
    for (const campaign of campaigns) await dateCampaign(dbOf('campaigns'), accountId, campaign);
    await dateForm({ accountId, form, contacts: dbOf('contacts'), leadpulse: dbOf('leadpulse') });
    return true;
  } finally {
    await mongo.close();
  }
}

/** More contacts recently than three months ago. */
async function dateContacts(contacts: Collection<Owned>, accountId: string, since: Date) {
  const created = await contacts
    .find({ account_id: accountId, created_at: { $gte: since } })
    .project({ _id: 1 })
    .sort({ created_at: 1, _id: 1 })
    .toArray();
  const changes = created.map(({ _id }, index) => {
    const created_at = new Date(Date.now() - growthDays * dayMs * (1 - (index + 1) / created.length) ** 1.4 - hourMs);
    return { updateOne: { filter: { _id, account_id: accountId }, update: { $set: { created_at } } } };
  });
  if (changes.length > 0) await contacts.bulkWrite(changes, { ordered: false });
}

async function dateCampaign(db: Db, accountId: string, { id, daysAgo }: Past['campaigns'][number]) {
  const recipients = db.collection('recipients');
  const own = { account_id: accountId, source_id: id };
  while ((await recipients.countDocuments({ ...own, tally_changed: true }, { limit: 1 })) > 0)
    await new Promise((resolve) => setTimeout(resolve, 500));
  const started = new Date(new Date(Date.now() - daysAgo * dayMs).setUTCHours(8, 0, 0, 0));
  const completed = new Date(started.getTime() + 4 * 60_000);
  await db.collection<Owned>('campaigns').updateOne(
    { _id: id, account_id: accountId },
    {
      $set: {
        created_at: new Date(started.getTime() - dayMs),
        ...{ updated_at: completed, frozen_at: started, started_at: started, completed_at: completed },
      },
    },
  );
  await recipients.updateMany({ ...own, sent_at: { $ne: null } }, { $set: { sent_at: completed } });
  await spreadHours(db, accountId, id, started);
}

async function spreadHours(db: Db, accountId: string, campaignId: string, started: Date) {
  const breakdowns = db.collection<Owned>('breakdowns');
  const hours = { account_id: accountId, source_id: campaignId, by: 'hour' };
  const totals = new Map<string, number>();
  for (const { counts } of await breakdowns.find(hours).toArray())
    for (const [name, value] of Object.entries(counts)) totals.set(name, (totals.get(name) ?? 0) + Number(value));
  const spread = [...hoursOf(totals, started)].map(([key, counts]) => ({
    ...{ _id: `${accountId} ${campaignId} hour ${key}`, ...hours, key, order: 0, counts },
  }));
  await breakdowns.deleteMany(hours);
  if (spread.length > 0) await breakdowns.insertMany(spread);
}

/** Counts by hour that add up to the totals: many at first, then fewer, and hardly any at night. */
export function hoursOf(totals: ReadonlyMap<string, number>, started: Date): Map<string, Record<string, number>> {
  const timeOf = (hour: number) => new Date(started.getTime() + hour * hourMs);
  const weights = Array.from({ length: reportHours }, (_, hour) => Math.exp(-hour / 9) * (timeOf(hour).getUTCHours() < 6 ? 0.1 : 1));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const shareUntil = (hour: number) => weights.slice(0, hour).reduce((sum, weight) => sum + weight, 0) / whole;
  const byHour = new Map<string, Record<string, number>>();
  for (const hour of weights.keys()) {
    const counts = [...totals].flatMap(([name, total]) => {
      const part = Math.round(total * shareUntil(hour + 1)) - Math.round(total * shareUntil(hour));
      return part === 0 ? [] : [[name, part] as const];
    });
    if (counts.length > 0) byHour.set(timeOf(hour).toISOString().slice(0, 13), Object.fromEntries(counts));
  }
  return byHour;
}
