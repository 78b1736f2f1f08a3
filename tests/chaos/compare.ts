import assert from 'node:assert/strict';
import { type ServiceName, serviceNames } from '@mp/contracts/services';
import { eventually } from '@mp/test-kit/eventually';
import type { Client } from '../client.ts';
import type { Json } from '../contract.ts';
import type { startMailSink } from '../mail-sink.ts';
import type { Platform } from '../platform.ts';
import { isOfLevel, living, type Model, orderedTag, type Person, type receivedTypes, visitsOfSegment } from './model.ts';
import type { Received } from './receivers.ts';

type Reported = {
  client: Client;
  platform: Platform;
  sink: Awaited<ReturnType<typeof startMailSink>>;
  /** The addresses of the second processes. */
  secondUrls: readonly string[];
  /** What the healthy receiver of webhooks gets, by the ID of the event. */
  received: ReadonlyMap<string, Received>;
  ids: { level: string; visits: string; workflow: string };
};

const sorted = (values: Iterable<string>) => [...values].sort();

/** Waits until the platform is at rest, and compares everything with the model. Throws at the first difference. */
export async function compare(model: Model, { client, platform, sink, secondUrls, received, ids }: Reported) {
  await atRest(platform, secondUrls);
  const read = async (path: string): Promise<Json> => {
    const response = await client.get(path);
    assert.equal(response.status, 200, `${path}: ${response.text}`);
    return response.data;
  };
  const everything = async (path: string) => {
    const items: Json[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await read(`${path}${path.includes('?') ? '&' : '?'}limit=100${cursor && `&cursor=${cursor}`}`);
      items.push(...page.items);
      cursor = page.pagination.next_cursor;
    }
    return items;
  };

  const contacts = await everything('/v2/contacts');
  const ofPeople = contacts.filter(({ external_id }) => external_id !== null);
  assert.deepEqual(
    sorted(ofPeople.map(({ id, email, attributes }) => `${id} ${email} ${attributes.level}`)),
    sorted(living(model).map(({ id, email, level }) => `${id} ${email} ${level}`)),
    'every contact exists once, with its last value',
  );
  const ofForms = sorted(contacts.filter(({ external_id }) => external_id === null).map(({ email }) => email));
  const stored = ofForms.filter((email) => model.doubtful.has(email));
  assert.deepEqual(ofForms, sorted([...model.submitted, ...new Set(stored)]), 'every submission made one contact');

  const members = async (id: string) => sorted((await everything(`/v2/segments/${id}/contacts`)).map((one) => one.id));
  const matching = (matches: (person: Person) => boolean) =>
    sorted(living(model).flatMap((person) => (person.id !== undefined && matches(person) ? [person.id] : [])));
  const isOfVisits = ({ visits }: Person) => visits >= visitsOfSegment;
  await same('members by level', () => members(ids.level), matching(isOfLevel));
  await same('members by visits', () => members(ids.visits), matching(isOfVisits));

  const orders = model.people.flatMap(({ id, orders: count }) => Array.from({ length: count }, () => id ?? ''));
  const runs = await eventually(async () => {
    const all = await everything(`/v2/workflows/${ids.workflow}/runs`);
    return all.length >= orders.length && all.every(({ ended_at }) => ended_at !== null) && all;
  });
  assert.deepEqual(sorted(runs.map(({ contact_id }) => contact_id)), sorted(orders), 'every order started one run');
  await same(
    'contacts with the tag of a run',
    async () => sorted((await everything(`/v2/contacts?tag=${orderedTag}`)).map(({ id }) => id)),
    matching(({ orders }) => orders > 0),
  );
  // Each run tracks an event, too.
  const tracked = model.people.reduce((sum, { visits, orders: count }) => sum + visits + 2 * count, 0);
  await same('stored events', async () => (await everything('/v2/leadpulse/events')).length, tracked);
  await same('counted events', async () => (await read('/v2/leadpulse/analytics')).totals.events, tracked);

  await same(
    'campaigns',
    async () => sorted((await everything('/v2/campaigns')).map(({ id, name, status }) => `${id} ${name} ${status}`)),
    sorted(model.campaigns.map(({ id, subject }) => `${id} ${subject} sent`)),
  );
  const arrived = Map.groupBy(sink.caught, ({ to, mail }) => `${mail.subject} to ${to}`);
  let expected = 0;
  for (const campaign of model.campaigns) expected += await addsUp(campaign);
  assert.ok(expected > 0, 'campaigns had recipients');
  const confirmations = ofForms.flatMap((email) => sink.to(email));
  assert.equal(sink.caught.length, expected + confirmations.length, 'every email belongs to a recipient or a submission');
  assert.ok(confirmations.length <= ofForms.length, 'no submission was confirmed twice');

  const got = (type: (typeof receivedTypes)[number], of: (event: Received) => string) =>
    sorted([...received.values()].filter((event) => event.type === type).map(of));
  const created = sorted([...model.created.values(), ...ofForms]);
  await same('created contacts at the healthy receiver', async () => got('contact.created', ({ email }) => email), created);
  await same('runs at the healthy receiver', async () => got('workflow.run_completed', ({ contactId }) => contactId), sorted(orders));
  const alive = new Set(living(model).map(({ id }) => id));
  await same(
    'members at the healthy receiver, except contacts that were deleted',
    async () => got('segment.entered', ({ contactId }) => contactId).filter((id) => alive.has(id)),
    sorted([...matching(isOfLevel), ...matching(isOfVisits)]),
  );

  /** The ledger of a campaign sums, has everyone who was a member by then, and no recipient got it twice. Returns how many emails arrived. */
  async function addsUp({ id: campaignId, subject, members }: Model['campaigns'][number]) {
    await eventually(async () => {
      const { reconciliation } = await read(`/v2/campaigns/${campaignId}/ledger?limit=1`);
      const { states, audience_count } = reconciliation;
      return audience_count !== null && reconciliation.reconciles && states.queued + states.sending + states.deferred === 0;
    });
    const rows = await everything(`/v2/campaigns/${campaignId}/ledger`);
    const recipients = new Set(rows.map(({ contact_id }) => contact_id));
    const missing = members.filter(({ id }) => id !== undefined && !recipients.has(id));
    assert.deepEqual(missing, [], `members that ${subject} left out`);
    let sum = 0;
    for (const { state, contact_id } of rows) {
      const email = model.created.get(contact_id) ?? '';
      const count = arrived.get(`${subject} to ${email}`)?.length ?? 0;
      sum += count;
      if (state === 'sent' || state === 'delivered') assert.equal(count, 1, `${email} is ${state} and got ${subject} ${count} times`);
      else assert.ok(count <= (state === 'unknown' ? 1 : 0), `${email} is ${state} and got ${subject} ${count} times`);
    }
    return sum;
  }
}

/** Repeats until the value is the expected one, because reports follow their events; shows the difference when it stays. */
async function same<T>(what: string, read: () => Promise<T>, expected: T) {
  let found = await read();
  const shown = JSON.stringify(expected);
  await eventually(async () => {
    found = await read();
    return JSON.stringify(found) === shown;
  }).catch(() => assert.deepEqual(found, expected, what));
}

/** Every service is ready without help, no event waits in an outbox or a stream, and none was set aside. */
async function atRest(platform: Platform, secondUrls: readonly string[]) {
  for (const url of [...serviceNames.map(platform.urlOf), ...secondUrls])
    await eventually(() =>
      fetch(`${url}/health/dependencies`).then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
  const standing = async (name: ServiceName) =>
    (await platform.metrics(name).catch(() => 'not answering 1'))
      .split('\n')
      .filter((line) => /^(outbox_pending_rows|consumer_lag_events|dead_letters|not answering)/.test(line) && !/ 0$/.test(line));
  let waiting: string[] = [];
  await eventually(async () => {
    waiting = (await Promise.all(serviceNames.map(standing))).flat();
    return waiting.length === 0;
  }).catch((cause) => {
    throw new Error(`The platform does not come to rest: ${waiting.join(', ')}`, { cause });
  });
}
