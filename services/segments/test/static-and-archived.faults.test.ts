import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactCreated, ContactUpdated } from '@mp/contracts/events/contacts';
import { MembershipEntered, MembershipLeft } from '@mp/contracts/events/segments';
import { eventually } from '@mp/test-kit/eventually';
import { testInfra } from '@mp/test-kit/infra';
import { contactWith, livingIn, publish } from './contacts.ts';
import { startSegments } from './service-process.ts';

type Service = Awaited<ReturnType<typeof startSegments>>;
type Contacts = ReturnType<typeof contactWith>[];

const inBerlin = (count: number): Contacts => Array.from({ length: count }, () => contactWith(livingIn('Berlin')));
const idsOf = (contacts: Contacts) => contacts.map(({ id }) => id).sort();

/** Publishes contacts and waits until the service has applied them. */
async function publishContacts(service: Service, contacts: Contacts) {
  for (const contact of contacts) {
    if (contact.revision === 1) await publish(service.parts, ContactCreated, service.accountId, { contact });
    else await publish(service.parts, ContactUpdated, service.accountId, { contact, changed: ['address'] });
  }
  const profiles = service.parts.mongo.db.collection<{ _id: string; revision: number }>('profiles');
  const wanted = contacts.map(({ id: _id, revision }) => ({ _id, revision }));
  await eventually(async () => (await profiles.countDocuments({ $or: wanted })) === contacts.length);
}

test('after a kill, contacts were added to a static segment completely or not at all, and each once', async (t) => {
  const service = await startSegments(t, await testInfra());
  const child = await service.start();
  const contacts = inBerlin(300);
  await publishContacts(service, contacts);
  const { data: segment } = await service.post('/v2/segments', { name: 'Trade fair', kind: 'static' });
  const add = (part: number) => {
    const named = contacts.slice(part * 100, part * 100 + 100).map(({ id }) => ({ id }));
    return service.post(`/v2/segments/${segment.id}/contacts`, { contacts: named });
  };
  await service.kill(child);
  const dying = await service.startDying(2);
  assert.equal((await add(0)).data.changed, 100);
  assert.equal((await add(1)).status, 0, 'it is killed when the memberships are committed');
  await dying.gone();
  const second = await service.start();
  assert.deepEqual(await service.members(segment.id), idsOf(contacts.slice(0, 200)));
  assert.equal((await add(1)).data.changed, 0, 'a retry finds them added');
  const lost = add(2);
  await service.kill(second);
  const { status, data } = await lost;
  await service.start();
  // The transaction of the killed process locks its rows until MongoDB aborts it, after a minute.
  const retried = await eventually(async () => {
    const response = await add(2);
    return response.status === 200 && response;
  });
  if (status === 200) assert.deepEqual([data.changed, retried.data.changed], [100, 0], 'what was confirmed is stored');
  assert.deepEqual(await service.members(segment.id), idsOf(contacts));
  assert.equal(await service.published(MembershipEntered.subject), 300);
  await eventually(async () => (await service.get(`/v2/segments/${segment.id}`)).data.count === 300);
});

test('after kills while a segment is archived and restored, it resumes and publishes each change once', async (t) => {
  const service = await startSegments(t, await testInfra());
  let child = await service.start();
  const path = await service
    .post('/v2/segments', { name: 'Berlin', definition: { field: 'address.city', op: 'eq', value: 'Berlin' } })
    .then(({ data }) => `/v2/segments/${data.id}`);
  const read = async () => (await service.get(path)).data;
  const id = path.split('/').at(-1) ?? '';
  await eventually(async () => (await read())?.status === 'ready');
  // One transaction of a backfill evaluates 200 contacts.
  const before = inBerlin(450);
  await publishContacts(service, before);
  await eventually(async () => (await service.members(id)).length === 450);

  const archiving = service.post(`${path}/archive`);
  await service.kill(child);
  const { status } = await archiving;
  child = await service.start();
  if (status === 200) assert.notEqual((await read()).archived_at, null, 'what was confirmed is stored');
  await eventually(async () => (await service.post(`${path}/archive`)).status === 200);

  const gone = before.slice(0, 300).map((contact) => ({ ...contact, ...livingIn('Bonn'), revision: 2 }));
  const arrived = inBerlin(100);
  await publishContacts(service, [...gone, ...arrived]);
  assert.deepEqual(await service.members(id), idsOf(before), 'an archived segment keeps its members');
  const archivedMembers = new Date().toISOString();
  await service.kill(child);

  const dying = await service.startDying(1);
  const restoring = await service.post(`${path}/restore`);
  assert.ok([0, 200].includes(restoring.status), 'the response may be lost with the service');
  await dying.gone();
  child = await service.start();
  const building = await read();
  if (building.status === 'building') assert.deepEqual(await service.members(id), idsOf(before), 'until it is ready');
  await service.kill(child);
  await service.start();
  await eventually(async () => (await read())?.status === 'ready');
  const members = idsOf([...before.slice(300), ...arrived]);
  assert.deepEqual(await service.members(id), members);
  assert.deepEqual([await service.published(MembershipEntered.subject), await service.published(MembershipLeft.subject)], [550, 300]);
  await eventually(async () => (await read()).count === members.length);
  const then = await service.get(`${path}/contacts?limit=1&include=total_count&as_of=${archivedMembers}`);
  assert.equal(then.data.pagination.total_count, 450, 'as of a moment before, it has the members it had');
});
