import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { routesOnly, smallest } from '../../test/setting.ts';
import { campaignsOf } from './campaigns-store.ts';

test('PUT, DELETE and list of campaigns', async (t) => {
  const parts = await testParts(t, 'campaigns');
  const { app } = await testService(t, parts, routesOnly());
  const owner = testClient(app);
  const create = async (body: object = {}) => (await owner.post('/v2/campaigns', { ...smallest, ...body })).data;

  await t.test('changes the fields in the body, clears null ones and keeps the rest', async () => {
    const draft = await create({ preview_text: 'Look', reply_to: 'a@example.com', track: { opens: false } });
    const { status, data } = await owner.put(`/v2/campaigns/${draft.id}`, { name: 'New', preview_text: null, track: { clicks: false } });
    assert.equal(status, 200);
    assert.deepEqual(
      [data.name, data.preview_text, data.reply_to, data.track, data.revision],
      ['New', null, 'a@example.com', { opens: false, clicks: false }, 2],
    );
  });

  await t.test('accepts the unchanged response of GET without writing, and rejects changes to read-only fields', async () => {
    const draft = await create();
    const got = (await owner.get(`/v2/campaigns/${draft.id}`)).data;
    assert.deepEqual((await owner.put(`/v2/campaigns/${draft.id}`, got)).data, draft);
    const forged = await owner.put(`/v2/campaigns/${draft.id}`, { ...got, status: 'sent' });
    assert.deepEqual([forged.status, forged.error.details[0].path], [400, '/status']);
    const unknown = await owner.put(`/v2/campaigns/${draft.id}`, { html: '{{ contact.nope }}' });
    assert.deepEqual([unknown.status, unknown.error.details[0].code], [400, 'unknown_field']);
  });

  await t.test('rejects a stale If-Match', async () => {
    const draft = await create();
    const match = { 'if-match': '"1"' };
    assert.equal((await owner.put(`/v2/campaigns/${draft.id}`, { name: 'A' }, match)).status, 200);
    assert.equal((await owner.put(`/v2/campaigns/${draft.id}`, { name: 'B' }, match)).status, 412);
    assert.equal((await owner.delete(`/v2/campaigns/${draft.id}`, match)).status, 412);
  });

  await t.test('rejects updating or deleting a campaign that is not a draft, naming its state', async () => {
    const draft = await create();
    await owner.post(`/v2/campaigns/${draft.id}/send`);
    for (const response of [await owner.put(`/v2/campaigns/${draft.id}`, { name: 'A' }), await owner.delete(`/v2/campaigns/${draft.id}`)]) {
      assert.deepEqual([response.status, response.error.code, response.error.details[0].status], [409, 'INVALID_STATE', 'freezing']);
      assert.match(response.error.message, /freezing/);
    }
    const other = await create();
    assert.deepEqual((await owner.delete(`/v2/campaigns/${other.id}`)).data, { id: other.id, deleted: true });
    assert.equal((await owner.delete(`/v2/campaigns/${other.id}`)).status, 404);
  });

  await t.test('makes the same checks for a new start time as for a send, and clears the problem that it had', async () => {
    const strict = routesOnly({ REQUIRE_VERIFIED_SENDERS: true })(parts);
    t.after(() => strict.app.close());
    const { id } = await create();
    const inHours = (hours: number) => ({ schedule_at: new Date(Date.now() + hours * 3_600_000).toISOString() });
    await owner.post(`/v2/campaigns/${id}/send`, inHours(1));
    await campaignsOf(parts.mongo.db).updateOne({ _id: id }, { $set: { problem: 'The domain example.com is not verified.' } });
    const refused = await testClient(strict.app, { account_id: owner.accountId }).put(`/v2/campaigns/${id}`, inHours(2));
    assert.deepEqual([refused.status, refused.error?.details[0].code], [400, 'unverified_domain']);
    const moved = await owner.put(`/v2/campaigns/${id}`, inHours(2));
    assert.deepEqual([moved.status, moved.data.problem, (await owner.get(`/v2/campaigns/${id}`)).data.problem], [200, null, null]);
  });

  await t.test('lists campaigns without content, filtered by status, sorted and paginated', async () => {
    const own = testClient(app);
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push((await own.post('/v2/campaigns', smallest)).data.id);
    await own.post(`/v2/campaigns/${ids[2]}/send`);
    const list = async (query: string) => (await own.get(`/v2/campaigns?${query}`)).data;
    const first = await list('limit=2&sort=created_at');
    const second = await list(`limit=2&sort=created_at&cursor=${first.pagination.next_cursor}`);
    const idsOf = (page: { items: { id: string }[] }) => page.items.map(({ id }) => id);
    assert.deepEqual([...idsOf(first), ...idsOf(second)], ids.slice(0, 4));
    assert.ok(!('html' in first.items[0]));
    assert.deepEqual(idsOf(await list('status=freezing')), [ids[2]]);
    assert.equal((await list('status=draft&include=total_count')).pagination.total_count, 4);
    assert.equal((await list('sort=-updated_at&limit=1')).items[0].id, ids[2]);
    for (const query of ['status=gone', 'sort=name', 'limit=0', `status=draft&cursor=${first.pagination.next_cursor}`]) {
      assert.deepEqual([query, (await own.get(`/v2/campaigns?${query}`)).status], [query, 400]);
    }
  });

  await t.test('finds campaigns by the beginnings of the words of their names, through an index that has the names', async () => {
    const own = testClient(app);
    for (const name of ['Autumn release', 'Autumn sale', 'Winter re-release']) await own.post('/v2/campaigns', { ...smallest, name });
    const list = async (query: string) => (await own.get(`/v2/campaigns?${query}`)).data;
    const names = async (query: string) => (await list(query)).items.map(({ name }: { name: string }) => name);
    assert.deepEqual(await names('q=rel'), ['Winter re-release', 'Autumn release']);
    assert.deepEqual(await names('q=rel%20AUT&status=draft'), ['Autumn release']);
    assert.deepEqual(await names('q=rel&status=sent'), []);
    assert.deepEqual(await names('q=umn'), []);
    const { pagination } = await list('q=aut&sort=created_at&limit=1&include=total_count');
    assert.equal(pagination.total_count, 2);
    assert.deepEqual(await names(`q=aut&sort=created_at&limit=1&cursor=${pagination.next_cursor}`), ['Autumn sale']);
    for (const query of ['q=aut&sort=updated_at', 'q=', `q=rel&sort=created_at&cursor=${pagination.next_cursor}`])
      assert.deepEqual([query, (await own.get(`/v2/campaigns?${query}`)).status], [query, 400]);
  });
});
