import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { EventEnvelope } from '@mp/contracts/event';
import { ContactCreated, ContactUpdated } from '@mp/contracts/events/contacts';
import { MembershipEntered, MembershipLeft } from '@mp/contracts/events/segments';
import { lanes, subjectIn } from '@mp/contracts/lanes';
import { acquireInfra } from '@mp/local-infra/infra';
import { signalServer } from '@mp/local-infra/signal-server';
import { eventually } from '@mp/test-kit/eventually';
import { testInfra } from '@mp/test-kit/infra';
import { writtenEvents } from '@mp/test-kit/written-events';
import { contactWith, livingIn, publish } from './contacts.ts';
import { startSegments } from './service-process.ts';

type Service = Awaited<ReturnType<typeof startSegments>>;

const berlin = { name: 'Berlin', definition: { field: 'address.city', op: 'eq', value: 'Berlin' } };
const inBerlin = (count: number) => Array.from({ length: count }, () => contactWith(livingIn('Berlin')));

async function untilReady(service: Service, segmentId: string) {
  await eventually(async () => (await service.get(`/v2/segments/${segmentId}`)).data?.status === 'ready');
}

const publishContacts = (service: Service, contacts: ReturnType<typeof inBerlin>) =>
  Promise.all(contacts.map((contact) => publish(service.parts, ContactCreated, service.accountId, { contact })));

/** All published membership events of both lanes by id: each was published at least once, with the same content every time. */
async function receiveMemberships({ parts }: Service) {
  const received = new Map<string, EventEnvelope>();
  const subjects = [MembershipEntered, MembershipLeft].flatMap(({ subject }) => lanes.map((lane) => subjectIn(lane, subject)));
  for (const subject of subjects) {
    await parts.broker.listen(subject, (payload) => {
      const envelope = payload as EventEnvelope;
      const before = received.get(envelope.id);
      if (before) assert.deepEqual(envelope, before);
      received.set(envelope.id, envelope);
    });
  }
  return received;
}

const outboxOf = ({ parts, accountId }: Service) => writtenEvents(parts.mongo.db, { accountId });

/** Checks that each of these contacts entered exactly once, and that everything written was published. */
async function assertEnteredOnce(service: Service, received: Map<string, EventEnvelope>, contactIds: readonly string[]) {
  const written = await outboxOf(service);
  const entered = written.filter(({ subject }) => subject === MembershipEntered.subject);
  assert.deepEqual(entered.map(({ envelope }) => envelope.data.contact_id).sort(), contactIds.toSorted());
  await eventually(async () => written.every(({ id }) => received.has(id)));
}

test('killed at any point, the service publishes each membership and loses none', async (t) => {
  const service = await startSegments(t, await testInfra());
  const received = await receiveMemberships(service);
  let child = await service.start();
  const { data: segment } = await service.post('/v2/segments', berlin);
  await untilReady(service, segment.id);
  const ids: string[] = [];
  const arrive = async (count: number) => {
    const contacts = inBerlin(count);
    ids.push(...contacts.map(({ id }) => id));
    await publishContacts(service, contacts);
  };

  await t.test('between commit and publish, and between receive and acknowledgement', async () => {
    await service.kill(child);
    await arrive(30);
    for (const nth of [1, 3]) {
      const dying = await service.startDying(nth);
      let isGone = false;
      const gone = dying.gone().then(() => {
        isGone = true;
      });
      // One transaction takes effect for a group of events, so more arrive until there were enough transactions.
      while (!isGone) {
        const before = (await outboxOf(service)).length;
        await arrive(1);
        await eventually(async () => isGone || (await outboxOf(service)).length > before);
      }
      await gone;
    }
    child = await service.start();
    // Messages held by killed processes are redelivered once their acknowledgement times out.
    await eventually(async () => (await service.members(segment.id)).length === ids.length);
    assert.deepEqual(await service.members(segment.id), ids.toSorted());
    await assertEnteredOnce(service, received, ids);
  });

  await t.test('in the middle of a backfill, which resumes after its last chunk', async () => {
    // One transaction evaluates 200 contacts.
    await arrive(470);
    await eventually(async () => (await service.members(segment.id)).length === ids.length);
    await service.kill(child);
    const dying = await service.startDying(1);
    await service.put(`/v2/segments/${segment.id}`, { definition: { field: 'address.city', op: 'eq', value: 'Bonn' } });
    await dying.gone();
    const leftSoFar = (await outboxOf(service)).filter(({ subject }) => subject === MembershipLeft.subject).length;
    assert.equal(leftSoFar, 200);

    child = await service.start();
    assert.equal((await service.members(segment.id)).length, ids.length, 'the previous version, until the new one is ready');
    await untilReady(service, segment.id);
    assert.deepEqual(await service.members(segment.id), []);
    assert.equal((await service.get(`/v2/segments/${segment.id}`)).data.count, 0);
    const left = (await outboxOf(service)).filter(({ subject }) => subject === MembershipLeft.subject);
    assert.deepEqual(left.map(({ envelope }) => envelope.data.contact_id).sort(), ids.toSorted());
    await eventually(async () => left.every(({ id }) => received.has(id)));
  });
});

test('the count of a segment is correct soon after a kill, without any further change', async (t) => {
  const service = await startSegments(t, await testInfra());
  const child = await service.start();
  const { data: segment } = await service.post('/v2/segments', berlin);
  await untilReady(service, segment.id);
  const countNow = async () => (await service.get(`/v2/segments/${segment.id}`)).data?.count;
  await service.kill(child);
  for (const expected of [1, 2, 3]) {
    await publishContacts(service, inBerlin(1));
    // It is killed when the membership is committed, before anything else happens.
    await (await service.startDying(1)).gone();
    const next = await service.start();
    await eventually(async () => (await countNow()) === expected);
    assert.equal((await service.members(segment.id)).length, expected);
    await service.kill(next);
  }
});

test('MongoDB and NATS can fail and recover while contacts arrive and a segment is filled', async (t) => {
  // Separate servers, which can be killed.
  for (const name of ['MONGODB_URL', 'NATS_URL']) delete process.env[name];
  const dir = await mkdtemp(join(tmpdir(), 'segments-'));
  const infra = await acquireInfra({ dir });
  t.after(async () => {
    await infra.release();
    await rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
  });
  const service = await startSegments(t, infra);
  await service.start();
  const { data: segment } = await service.post('/v2/segments', berlin);
  await untilReady(service, segment.id);
  const killServer = (name: 'mongodb' | 'nats') => signalServer(dir, name, 'SIGKILL');

  const contacts: ReturnType<typeof inBerlin> = [];
  for (const server of ['mongodb', 'nats', 'mongodb'] as const) {
    const arriving = inBerlin(40);
    await publishContacts(service, arriving);
    contacts.push(...arriving);
    const moving = arriving.filter((_, index) => index % 4 === 0).map((contact) => ({ ...contact, ...livingIn('Bonn'), revision: 2 }));
    const publishing = Promise.all(
      moving.map((contact) => publish(service.parts, ContactUpdated, service.accountId, { contact, changed: ['address.city'] })),
    );
    // Publishing may fail because NATS is killed: the contacts service would publish again from its outbox.
    const telling = server === 'nats' ? publishing.catch(() => undefined) : publishing;
    await killServer(server);
    await telling;
    if (server === 'nats') {
      await eventually(async () => {
        const again = moving.map((contact) => publish(service.parts, ContactUpdated, service.accountId, { contact, changed: [] }));
        return Promise.all(again).then(
          () => true,
          () => false,
        );
      });
    }
  }
  const staying = contacts.filter((_, index) => index % 4 !== 0).map(({ id }) => id);
  const memberIds = () => service.members(segment.id).catch((): string[] => []);
  await eventually(async () => (await memberIds()).length === staying.length && (await isQuiet()));
  assert.deepEqual(await memberIds(), staying.toSorted());

  const { data: second } = await service.post('/v2/segments', { name: 'Second', definition: berlin.definition });
  await killServer('mongodb');
  await eventually(async () => (await service.get(`/v2/segments/${second.id}`)).data?.status === 'ready');
  assert.deepEqual(await memberIds(), await service.members(second.id));

  /** Every contact event has been applied, and nothing is waiting to be published. */
  async function isQuiet(): Promise<boolean> {
    const profiles = await service.parts.mongo.db.collection('profiles').find({ account_id: service.accountId }).toArray();
    const moved = profiles.filter(({ revision }) => revision === 2).length;
    const pending = await service.parts.outbox.pendingCount();
    return profiles.length === contacts.length && moved === contacts.length / 4 && pending === 0;
  }
});
