import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MembershipEntered } from '@mp/contracts/events/segments';
import { eventually } from '@mp/test-kit/eventually';
import { writtenEvents } from '@mp/test-kit/written-events';
import { MongoClient } from 'mongodb';
import { startPlatform } from './platform.ts';

const berlin = { name: 'Berlin', definition: { all: [{ field: 'address.city', op: 'eq', value: 'Berlin' }] } };

test('a contact enters its segment exactly once, whichever service is killed', async (t) => {
  const platform = await startPlatform(t, { services: ['contacts', 'segments', 'gateway'] });
  const client = await platform.client('--permission', 'read_write', '--account', 'faults');
  const mongo = await MongoClient.connect(platform.infra.mongoUrl);
  t.after(() => mongo.close());
  const segment = (await client.post('/v2/segments', berlin)).data;
  await eventually(async () => (await client.get(`/v2/segments/${segment.id}`)).data.status === 'ready');

  const entered = async (contactId: string) => {
    const events = await writtenEvents(mongo.db(`${platform.namespace}_segments`), { subject: MembershipEntered.subject });
    return events.filter(({ envelope }) => envelope.data.contact_id === contactId).length;
  };
  const isMember = async (contactId: string) => {
    const { data } = await client.get(`/v2/segments/${segment.id}/contacts?limit=100`);
    return data.items.some(({ id }: { id: string }) => id === contactId);
  };
  const becomesMemberOnce = async (contactId: string) => {
    await eventually(() => isMember(contactId));
    assert.equal(await entered(contactId), 1);
  };
  /** Creates a contact and returns its id, even if the response was lost: a retry with the same key returns it. */
  const create = async (email: string) => {
    const body = { email, address: { city: 'Berlin' } };
    const retry = { 'idempotency-key': email };
    const response = await eventually(async () => {
      const one = await client.post('/v2/contacts', body, retry).catch(() => undefined);
      return one?.status === 201 && one;
    });
    return response.data.id;
  };

  await t.test('when contacts is killed between commit and publish', async () => {
    await platform.stop('contacts', 'SIGKILL');
    const dying = await platform.start('contacts', 'tests/dying-service.ts', ['contacts', '1']);
    const gone = new Promise((resolve) => dying.once('exit', resolve));
    const lost = client.post(
      '/v2/contacts',
      { email: 'a@example.com', address: { city: 'Berlin' } },
      { 'idempotency-key': 'a@example.com' },
    );
    await gone;
    assert.ok((await lost).status >= 500, 'the client gets an error, not a false success');
    await platform.start('contacts');
    await becomesMemberOnce(await create('a@example.com'));
  });

  await t.test('when segments is killed between receipt and acknowledgement', async () => {
    await platform.stop('segments', 'SIGKILL');
    const dying = await platform.start('segments', 'tests/dying-service.ts', ['segments', '1']);
    const gone = new Promise((resolve) => dying.once('exit', resolve));
    const id = await create('b@example.com');
    await gone;
    await platform.start('segments');
    await becomesMemberOnce(id);
  });

  await t.test('when all services are killed repeatedly while contacts are created', async () => {
    const ids: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      const creating = Promise.all(Array.from({ length: 10 }, (_, index) => create(`r${round}-${index}@example.com`)));
      const victim = (['contacts', 'segments', 'gateway'] as const)[round % 3] ?? 'contacts';
      await platform.stop(victim, 'SIGKILL');
      await platform.start(victim);
      ids.push(...(await creating));
    }
    assert.equal(new Set(ids).size, 60);
    for (const id of ids) await becomesMemberOnce(id);
  });
});

test('writes continue while NATS is unavailable and arrive later; without MongoDB they get 503 until it is back', async (t) => {
  const platform = await startPlatform(t, { services: ['contacts', 'segments', 'gateway'], ownInfra: true });
  const client = await platform.client('--permission', 'read_write', '--account', 'faults');
  const segment = (await client.post('/v2/segments', berlin)).data;
  await eventually(async () => (await client.get(`/v2/segments/${segment.id}`)).data.status === 'ready');
  const members = async () => (await client.get(`/v2/segments/${segment.id}/contacts?limit=100`)).data?.items?.length;
  const create = (email: string) => client.post('/v2/contacts', { email, address: { city: 'Berlin' } });

  await t.test('NATS suspended', async () => {
    await platform.signalServer('nats', 'SIGSTOP');
    for (let index = 0; index < 5; index += 1) assert.equal((await create(`n${index}@example.com`)).status, 201);
    await platform.signalServer('nats', 'SIGCONT');
    await eventually(async () => (await members()) === 5);
  });

  await t.test('NATS killed and restarted', async () => {
    await platform.signalServer('nats', 'SIGKILL');
    for (let index = 0; index < 5; index += 1) assert.equal((await create(`k${index}@example.com`)).status, 201);
    await eventually(async () => (await members()) === 10);
  });

  await t.test('MongoDB killed and restarted', async () => {
    await platform.signalServer('mongodb', 'SIGKILL');
    const during = await create('m@example.com');
    if (during.status !== 201) {
      assert.deepEqual([during.status, during.error.code], [503, 'SERVICE_UNAVAILABLE']);
      assert.ok(Number(during.headers.get('retry-after')) >= 1);
    }
    await eventually(async () => [201, 409].includes((await create('m@example.com')).status));
    await eventually(async () => (await members()) === 11);
  });
});
