import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { SingleBar } from 'cli-progress';
import { createDemoClient } from './demo/client.ts';
import { contactLinks, contactWork } from './demo/contact-work.ts';
import { demoCampaigns, demoDraft, demoGoals, demoSegments, demoSender, demoWorkflows } from './demo/content.ts';
import { datePast } from './demo/past.ts';
import { demoPeople } from './demo/people.ts';
import { createMailWatch, readMails } from './demo/readers.ts';
import { createDemoForm, orderLater } from './demo/sign-ups.ts';
import { demoLiveVisits, demoRegulars, demoVisits } from './demo/visits.ts';
import { readOptions, refuse } from './read-options.ts';

type Sent = { status: string; ab_result: { sample_sent_at: string | null } | null };

/** Fills a demo account through the public API. Idempotent, but for the visitors of the live page. */
const ownAccount = 'demo';
const usage = `npm run demo -- [--account NAME|ID] [--url URL] [--contacts 5000] [--visits N]
Fills an account of a running platform with demo data through the API: contacts, visits, segments, campaigns, workflows and a form. A
second run only adds visitors of the last minutes.
  --account   the account to fill. Default: ${ownAccount}, created if missing. Any other account must exist.
  --url       the URL of the platform. Default: PUBLIC_URL, or the platform that runs from this checkout
  --contacts  how many contacts. Default: 5000
  --visits    how many visitor events. Default: four for each contact`;

const options = { account: { type: 'string' }, url: { type: 'string' }, contacts: { type: 'string' }, visits: { type: 'string' } } as const;
const { account = ownAccount, url: givenUrl, ...counts } = readOptions(usage, options).values;
const people = countOf(counts.contacts, 5_000);
const visits = countOf(counts.visits, 4 * people);
const began = Date.now();
const url = (givenUrl ?? platformUrl()).replace(/\/+$/, '');
await requirePlatform();
const findAccount = (): { id: string } | undefined =>
  JSON.parse(command('account.ts', 'list')).find(({ id, name }: { id: string; name: string }) => id === account || name === account);
if (account === ownAccount && !findAccount()) command('account.ts', 'create', '--name', account, '--plan', 'enterprise');
const key = command('key.ts', '--name', 'Demo', '--permission', 'read_write', '--account', account);
const accountId = findAccount()?.id ?? account;
const client = createDemoClient(url, key);

await withBar('contacts', people, async (advance) => {
  let rows: object[] = [];
  const send = async () => {
    const { counts } = await client.post('/v2/contacts/batch', { match_on: 'external_id', contacts: rows });
    if (counts.error > 0) throw new Error(`${counts.error} demo contacts were rejected.`);
    advance(rows.length);
    rows = [];
  };
  for (const person of demoPeople(people)) {
    rows.push(person);
    if (rows.length === 500) await send();
  }
  if (rows.length > 0) await send();
});

await withBar('contact work', contactWork.length, async (advance) => {
  for (const { work } of contactWork) {
    await work(client);
    advance(1);
  }
});

const segments = new Map<string, { id: string; name: string }>();
await withBar('segments', demoSegments.length, async (advance) => {
  for (const segment of demoSegments) {
    const { item } = await client.named('/v2/segments', segment);
    segments.set(segment.name, item);
  }
  for (const { id } of segments.values()) {
    await until(async () => (await client.get(`/v2/segments/${id}`)).status === 'ready');
    advance(1);
  }
});

await withBar('visitor events', visits, async (advance) => {
  await track(demoVisits(visits, people, new Date()), advance);
  await track(demoRegulars(people, new Date()));
});

const { default_sender } = await client.get('/v2/campaigns/settings');
if (!default_sender) await client.put('/v2/campaigns/settings', { default_sender: demoSender });

const segmentId = (name: string) => segments.get(name)?.id ?? '';
for (const goal of demoGoals) await client.named('/v2/leadpulse/goals', goal);

const workflows = new Map<string, { id: string }>();
await withBar('workflows', demoWorkflows.length, async (advance) => {
  for (const { name, description, segment, start, steps } of demoWorkflows) {
    const body = { name, description, trigger: { type: 'manual' }, steps, entry: { policy: 'once' } };
    const { item, created } = await client.named('/v2/workflows', body);
    workflows.set(name, item);
    if (created) {
      const contacts = await client.first(`/v2/segments/${segmentId(segment)}/contacts`, start);
      await client.post(`/v2/workflows/${item.id}/trigger`, { contacts: contacts.map(({ id }: { id: string }) => ({ contact_id: id })) });
    }
    advance(1);
  }
});

const campaigns: { id: string; name: string }[] = [];
const sent: { id: string; daysAgo: number }[] = [];
const mailbox = createMailWatch(url);
/** Emails are read while the next campaign is sent. */
const readings: Promise<void>[] = [];
await withBar('campaigns', demoCampaigns.length, async (advance) => {
  await mailbox.arrived();
  for (const { segment, body, daysAgo, appeal, winner } of demoCampaigns) {
    const { item, created } = await client.named('/v2/campaigns', { ...body, audience: { include: [segmentId(segment)] } });
    campaigns.push(item);
    if (created) sent.push({ id: item.id, daysAgo });
    if (item.status === 'draft') await client.post(`/v2/campaigns/${item.id}/send`);
    const appealOf = (subject: string) => (winner && subject.includes(winner.words) ? winner.appeal : appeal);
    const readUntil = async (isDone: (campaign: Sent) => boolean) => {
      const mails = [];
      for (let done = false; !done; ) {
        done = isDone(await client.get(`/v2/campaigns/${item.id}`));
        mails.push(...(await mailbox.arrived()));
        if (!done) await pause();
      }
      if (created) readings.push(readMails({ url, client, mails, campaign: body.name, appealOf }));
    };
    const isSent = ({ status }: Sent) => status === 'sent' || status === 'failed';
    if (winner && !isSent(item)) {
      await readUntil(({ ab_result }) => typeof ab_result?.sample_sent_at === 'string');
      await Promise.all(readings);
      await client.post(`/v2/campaigns/${item.id}/winner`, { variant: winner.id });
    }
    await readUntil(isSent);
    advance(1);
  }
  await Promise.all(readings);
  await client.named('/v2/campaigns', { ...demoDraft, audience: { include: ['all'] } });
});

const form = await withBar('sign-ups', 30, (advance) => createDemoForm({ url, client, mails: mailbox.arrived, advance }));
const isDated = await datePast({ accountId, since: new Date(began), campaigns: sent, form });
await orderLater(client, form, { isDated });

await client.post('/v2/leadpulse/track', { events: demoLiveVisits(people, new Date()) });

const call = (path: string) => `  curl -s -H "Authorization: Bearer $KEY" '${url}${path}'`;
console.log(`
The account "${account}" has ${people.toLocaleString('en')} contacts in eight locales, some of them imported or merged, ${visits.toLocaleString('en')} visitor events over 90 days, ${segments.size} segments,
${campaigns.length} campaigns sent to the local mailbox (${url}/t/mailbox), ${workflows.size} workflows and a form with which people signed up. This took ${Math.round((Date.now() - began) / 1_000)} s. Explore it:

  Dashboard  ${command('sign-in-link.ts', '--account', account)}

  KEY=${key}
${[
  '/v2/contacts?tag=automation&limit=3',
  ...(await contactLinks(client)),
  '/v2/segments',
  `/v2/segments/${segmentId('Large teams')}/contacts?limit=3`,
  `/v2/campaigns/${campaigns[0]?.id}/analytics`,
  `/v2/campaigns/${campaigns[0]?.id}/ledger?limit=3`,
  '/v2/leadpulse/analytics?by=channel',
  '/v2/leadpulse/visitors?limit=3',
  `/v2/contacts/forms/${form.id}/report`,
  '/v2/leadpulse/live',
  `/v2/workflows/${workflows.get('Ask for feedback')?.id}/runs?limit=3`,
]
  .map(call)
  .join('\n')}
`);

async function track(events: readonly object[], advance: (by: number) => void = () => undefined) {
  for (let at = 0; at < events.length; at += 500) {
    const chunk = events.slice(at, at + 500);
    await client.post('/v2/leadpulse/track', { events: chunk });
    advance(chunk.length);
  }
}

function countOf(given: string | undefined, usual: number): number {
  if (given === undefined) return usual;
  if (/^[1-9]\d{0,6}$/.test(given)) return Number(given);
  return refuse(`Expected a number of at least 1, not ${given}.`, usage);
}

/** Runs a gateway command and returns its output. If it fails, prints its error and exits. */
function command(file: string, ...args: string[]): string {
  const env = { ...process.env, PUBLIC_URL: url };
  const { status, stdout, stderr } = spawnSync(process.execPath, [`services/gateway/src/cli/${file}`, ...args], { encoding: 'utf8', env });
  if (status === 0) return stdout.trim();
  process.stderr.write(stderr);
  process.exit(1);
}

async function requirePlatform(): Promise<void> {
  const response = await fetch(`${url}/health/ready`).catch(() => undefined);
  if (response?.ok) return;
  process.stderr.write(`No platform is ready at ${url}. Start it with "npm start", then run this command in another terminal.\n`);
  process.exit(1);
}

/** PUBLIC_URL, or the URL of the platform that runs from this checkout. */
function platformUrl(): string {
  if (process.env.PUBLIC_URL) return process.env.PUBLIC_URL;
  try {
    const { url } = JSON.parse(readFileSync(new URL('../.data/platform.json', import.meta.url), 'utf8'));
    return String(url);
  } catch {
    process.stderr.write('The demo needs a running platform. Start it with "npm start", then run this command in another terminal.\n');
    process.exit(1);
  }
}

async function withBar<Result>(what: string, total: number, work: (advance: (by: number) => void) => Promise<Result>): Promise<Result> {
  const bar = new SingleBar({
    format: `${what.padEnd(15)} {bar} {value}/{total}  {duration_formatted}`,
    noTTYOutput: true,
    notTTYSchedule: 5_000,
  });
  bar.start(total, 0);
  return work((by) => bar.increment(by)).finally(() => bar.stop());
}

async function until(isTrue: () => Promise<boolean>) {
  while (!(await isTrue())) await pause();
}

function pause() {
  return new Promise((resolve) => setTimeout(resolve, 200));
}
