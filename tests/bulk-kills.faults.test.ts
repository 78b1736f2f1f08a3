import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceName } from '@mp/contracts/services';
import { eventually } from '@mp/test-kit/eventually';
import { MongoClient } from 'mongodb';
import { startPlatform } from './platform.ts';

const rows = 2_000;
/** So that groups are in work. */
const middle = 400;
const looked = 50;
/** Only to end a test that hangs: NATS delivers the events that a killed process held again after half a minute. */
const withinMs = 10 * 60_000;
const from = { email: 'news@example.com', name: 'News' };

/** Each service, and one of its consumers that applies the backlog in groups. Contacts is last, so that all others have one for it. */
const victims: readonly (readonly [ServiceName, string])[] = [
  ['segments', 'segments-contacts'],
  ['campaigns', 'campaigns-contacts'],
  ['leadpulse', 'leadpulse-contacts'],
  ['workflows', 'workflows-memberships'],
  ['contacts', 'contacts-timeline-segments'],
];

test('every consequence of an import happens once for each contact, if each service is killed in the middle of its backlog', async (t) => {
  const platform = await startPlatform(t);
  const client = await platform.client('--permission', 'admin', '--account', 'bulk');
  const mongo = await MongoClient.connect(platform.infra.mongoUrl);
  t.after(() => mongo.close());
  const databaseOf = (name: ServiceName) => mongo.db(`${platform.namespace}_${name}`);
  const create = async (path: string, body: object) => {
    const { status, data, text } = await client.post(path, body);
    assert.ok(status < 300, `${path} returned ${status} ${text}`);
    return data;
  };
  const emailOf = (index: number) => `k${index}@bulk.example`;

  const berlin = await create('/v2/segments', { name: 'Berlin', definition: { field: 'address.city', op: 'eq', value: 'Berlin' } });
  const trigger = { type: 'segment_entered', segment_id: berlin.id };
  const workflow = await create('/v2/workflows', { name: 'W', trigger, steps: [{ id: 'tag', type: 'add_tag', tag: 'welcomed' }] });
  const audience = { include: [berlin.id] };
  const campaign = await create('/v2/campaigns', { name: 'C', subject: 'C', from, html: '<p>Hello</p>', audience });
  // Visits that belong to a contact once leadpulse knows it.
  for (let first = 0; first < rows; first += 100) {
    const events = Array.from({ length: 100 }, (_, n) => ({ event: 'visited', visitor_id: `v${first + n}`, email: emailOf(first + n) }));
    await create('/v2/leadpulse/track', { events });
  }
  await eventually(async () => (await client.get('/v2/leadpulse/analytics')).data.totals.events === rows, withinMs);
  await eventually(async () => (await client.get(`/v2/segments/${berlin.id}`)).data.status === 'ready');

  for (const [name] of victims) if (name !== 'contacts') await platform.stop(name, 'SIGKILL');
  const file = ['email,address.city', ...Array.from({ length: rows }, (_, index) => `${emailOf(index)},Berlin`)].join('\n');
  const imported = await client.call('POST', '/v2/contacts/imports?default_consent=subscribed', file, { 'content-type': 'text/csv' });
  const job = await eventually(async () => {
    const { data } = await client.get(`/v2/contacts/imports/${imported.data.id}`);
    return data.status === 'completed' && data;
  }, withinMs);
  assert.equal(job.rows.created, rows);
  await platform.stop('contacts', 'SIGKILL');

  for (const [name, consumer] of victims) {
    const inbox = databaseOf(name).collection<{ _id: string }>('inbox');
    const applied = () => inbox.countDocuments({ _id: { $gt: `${consumer} `, $lt: `${consumer}!` } });
    // It may die before it is ready.
    const started = platform.start(name);
    await eventually(async () => (await applied()) >= middle, withinMs);
    await platform.stop(name, 'SIGKILL');
    const before = await applied();
    assert.ok(before < rows, `${consumer} had applied everything`);
    await Promise.all([started, platform.start(name)]);
  }

  const contacts = databaseOf('contacts').collection('contacts');
  const runs = databaseOf('workflows').collection('runs');
  await t.test('each contact is a member, has one run, which ends, and the tag', async () => {
    await eventually(async () => (await contacts.countDocuments({ tags: 'welcomed' })) === rows, withinMs);
    await eventually(async () => (await runs.countDocuments({ workflow_id: workflow.id, state: 'completed' })) === rows, withinMs);
    assert.equal(await runs.countDocuments(), rows);
    assert.equal((await runs.distinct('contact_id')).length, rows);
    await eventually(async () => (await client.get(`/v2/segments/${berlin.id}`)).data.count === rows, withinMs);
  });

  await t.test('a campaign would email each contact', async () => {
    const { audience_count, would_send } = await eventually(async () => {
      const { data } = await client.post(`/v2/campaigns/${campaign.id}/dry-run`);
      return data.would_send >= rows && data;
    }, withinMs);
    assert.deepEqual([audience_count, would_send], [rows, rows]);
  });

  await t.test('the timeline of a contact has each entry once, also its visit from before the import', async () => {
    const { data } = await client.get(`/v2/contacts?limit=${looked}`);
    assert.equal(data.items.length, looked);
    for (const { id } of data.items) {
      const expected = ['leadpulse.event.attributed', 'segments.membership.entered', 'workflows.run.ended', 'workflows.run.started'];
      const types = await eventually(async () => {
        const { items } = (await client.get(`/v2/contacts/${id}/timeline`)).data;
        return items.length >= expected.length && items.map(({ type }: { type: string }) => type).sort();
      }, withinMs);
      assert.deepEqual(types, expected);
    }
  });

  await t.test('leadpulse counts each visit once, for its contact', async () => {
    const { totals } = (await client.get('/v2/leadpulse/analytics')).data;
    assert.deepEqual([totals.events, totals.visitors], [rows, rows]);
    const known = databaseOf('leadpulse').collection('identities');
    assert.equal(await known.countDocuments({ revision: { $gt: 0 }, contact_id: { $exists: true } }), rows);
  });
});
