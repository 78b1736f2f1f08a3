import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import type { Platform } from '../platform.ts';

type Member = { id: string; email: string };

export async function contactReachesSegment(t: TestContext, platform: Platform) {
  const client = await platform.client('--permission', 'read_write', '--account', 'segments');
  const members = async (segmentId: string): Promise<Member[]> => (await client.get(`/v2/segments/${segmentId}/contacts`)).data.items;

  const early = await client.post('/v2/contacts', { email: 'early@example.com', address: { city: 'Berlin' } });
  assert.equal(early.status, 201);
  const segment = await client.post('/v2/segments', {
    name: 'Berlin',
    definition: { all: [{ field: 'address.city', op: 'eq', value: 'Berlin' }] },
  });
  assert.equal(segment.status, 201);

  await t.test('a new segment contains the existing contacts', async () => {
    await eventually(async () => (await members(segment.data.id)).some(({ id }) => id === early.data.id));
  });

  await t.test('a new contact enters it', async () => {
    const { data } = await client.post('/v2/contacts', { email: 'late@example.com', address: { city: 'berlin' } });
    const member = await eventually(async () => (await members(segment.data.id)).find(({ id }) => id === data.id));
    assert.equal(member.email, 'late@example.com');
  });

  await t.test('a contact that no longer matches, or is deleted, leaves it', async () => {
    await client.put(`/v2/contacts/${early.data.id}`, { address: { city: 'Bonn' } });
    await eventually(async () => (await members(segment.data.id)).every(({ id }) => id !== early.data.id));
    const [last] = await members(segment.data.id);
    await client.delete(`/v2/contacts/${last?.id}`);
    await eventually(async () => (await members(segment.data.id)).length === 0);
  });

  await t.test('read-only keys can read and get 403 on writes', async () => {
    const reader = await platform.client('--permission', 'read_only', '--account', 'segments');
    assert.equal((await reader.get(`/v2/segments/${segment.data.id}`)).status, 200);
    for (const response of [
      await reader.post('/v2/contacts', { email: 'x@example.com' }),
      await reader.delete(`/v2/segments/${segment.data.id}`),
    ]) {
      assert.deepEqual([response.status, response.error.code], [403, 'FORBIDDEN']);
    }
  });

  await t.test('another account has no access to it', async () => {
    const stranger = await platform.client('--permission', 'admin', '--account', 'strangers');
    assert.equal((await stranger.get(`/v2/contacts/${early.data.id}`)).status, 404);
    assert.equal((await stranger.get(`/v2/segments/${segment.data.id}/contacts`)).status, 404);
    assert.deepEqual((await stranger.get('/v2/contacts')).data.items, []);
  });
}
