import assert from 'node:assert/strict';
import { type ServiceName, serviceNames } from '@mp/contracts/services';
import { eventually } from '@mp/test-kit/eventually';
import type { Client } from '../client.ts';
import type { Json } from '../contract.ts';
import type { startMailSink } from '../mail-sink.ts';
import type { Platform } from '../platform.ts';
import { levelOfSegment, living, type Model, orderedTag, visitsOfSegment } from './model.ts';

type Reported = {
  client: Client;
  platform: Platform;
  sink: Awaited<ReturnType<typeof startMailSink>>;
  /** How often the receiver of webhooks got each created contact, by event. */
  received: ReadonlyMap<string, string>;
  ids: { level: string; visits: string; workflow: string };
};

const sorted = (values: Iterable<string>) => [...values].sort();

/** Waits until the platform is at rest, and compares everything with the model. Throws at the first difference. */
export async function compare(model: Model, { client, platform, sink, received, ids }: Reported) {
  await atRest(platform);
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
  assert.deepEqual(
    sorted(contacts.filter(({ external_id }) => external_id === null).map(({ email }) => email)),
    sorted(model.submitted),
    'every submission made one contact',
  );

  const members = async (id: string) => sorted((await everything(`/v2/segments/${id}/contacts`)).map((one) => one.id));
  const matching = (matches: (person: Model['people'][number]) => boolean) =>
    sorted(living(model).flatMap((person) => (person.id !== undefined && matches(person) ? [person.id] : [])));
  await same(
    'members by level',
    () => members(ids.level),
    matching(({ level }) => level >= levelOfSegment),
  );
  await same(
    'members by visits',
    () => members(ids.visits),
    matching(({ visits }) => visits >= visitsOfSegment),
  );

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

  for (const { id, subject } of model.campaigns) await addsUp(id, subject);

  await eventually(async () => [...model.created.keys()].every((id) => [...received.values()].includes(id)));
  assert.equal(
    [...received.values()].filter((id) => model.created.has(id)).length,
    model.created.size,
    'the receiver got one event for each contact, however often',
  );

  /** The ledger of a campaign sums, and no recipient got it twice. */
  async function addsUp(campaignId: string, subject: string) {
    await eventually(async () => {
      const { reconciliation } = await read(`/v2/campaigns/${campaignId}/ledger?limit=1`);
      const { states, audience_count } = reconciliation;
      return audience_count !== null && reconciliation.reconciles && states.queued + states.sending + states.deferred === 0;
    });
    for (const { state, contact_id } of await everything(`/v2/campaigns/${campaignId}/ledger`)) {
      const email = model.created.get(contact_id) ?? '';
      const arrived = sink.to(email).filter((mail) => mail.subject === subject).length;
      if (state === 'sent' || state === 'delivered') assert.equal(arrived, 1, `${email} is ${state} and got ${subject} ${arrived} times`);
      else assert.ok(arrived <= (state === 'unknown' ? 1 : 0), `${email} is ${state} and got ${subject} ${arrived} times`);
    }
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
async function atRest(platform: Platform) {
  for (const name of serviceNames)
    await eventually(() =>
      fetch(`${platform.urlOf(name)}/health/dependencies`).then(
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
