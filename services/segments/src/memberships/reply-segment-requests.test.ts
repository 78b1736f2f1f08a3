import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RuleEvaluated, SegmentMembersCount, SegmentMembersPage, SegmentsCaughtUp, SegmentsExist } from '@mp/contracts/requests/segments';
import { newId, trustedId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { applyAll, contactWith, livingIn, origin, untilReady } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';
import { changeSegment } from '../segments/segment.ts';

const city = (value: string) => ({ field: 'address.city', op: 'eq', value });
const vip = { field: 'tags', op: 'contains', value: 'vip' };

test('replies to other services', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, buildApp, { live: true });
  const account = testClient(app);
  const account_id = account.accountId;
  const contacts = Array.from({ length: 25 }, (_, index) =>
    contactWith({ ...livingIn(index < 15 ? 'Berlin' : 'Bonn'), tags: index % 2 === 0 ? ['vip'] : [] }),
  );
  await applyAll(parts, built, account_id, contacts);
  const create = async (name: string, definition: object): Promise<string> =>
    (await account.post('/v2/segments', { name, definition })).data.id;
  const [berlin, vips] = [await create('Berlin', city('Berlin')), await create('VIPs', vip)];
  const all = contacts.filter((_, index) => index < 15 || index % 2 === 0).map(({ id }) => id);

  await t.test('pages through the members of several segments once, including one requested while it was building', async () => {
    const as_of = new Date().toISOString();
    const seen: string[] = [];
    for (let after: string | null = null; ; ) {
      const page: { contact_ids: string[]; next: string | null } = await parts.broker.request(SegmentMembersPage, {
        account_id,
        segment_ids: [berlin, vips],
        as_of,
        after,
        limit: 4,
      });
      seen.push(...page.contact_ids);
      if (page.next === null) break;
      after = page.next;
    }
    assert.deepEqual(seen, all.toSorted());
  });

  await t.test('says when each member entered, and how many there are', async () => {
    const query = { account_id, segment_ids: [berlin], as_of: new Date().toISOString(), after: null, limit: 100 };
    const { contact_ids, entered_at } = await parts.broker.request(SegmentMembersPage, query);
    const { items } = (await account.get(`/v2/segments/${berlin}/contacts?limit=100`)).data;
    const entered = new Map(items.map(({ id, entered_at: at }: { id: string; entered_at: string }) => [id, at]));
    assert.deepEqual(
      entered_at,
      contact_ids.map((id) => entered.get(id)),
    );
    assert.deepEqual(await parts.broker.request(SegmentMembersCount, { account_id, segment_id: berlin }), { members: 15 });
    const other = { account_id: testClient(app).accountId, segment_id: berlin };
    assert.deepEqual(await parts.broker.request(SegmentMembersCount, other), { members: 0 });
  });

  await t.test('a frozen audience stays the same while members and definitions change', async () => {
    await untilReady(account, berlin);
    const as_of = new Date().toISOString();
    const request = () => parts.broker.request(SegmentMembersPage, { account_id, segment_ids: [berlin], as_of, after: null, limit: 100 });
    const before = await request();
    assert.equal(before.contact_ids.length, 15);
    const [first] = contacts;
    assert.ok(first);
    await new Promise<void>((resolve) => setImmediate(resolve));
    await applyAll(parts, built, account_id, [{ ...first, ...livingIn('Bonn'), revision: 2 }]);
    await account.put(`/v2/segments/${berlin}`, { definition: city('Bonn') });
    assert.deepEqual(await request(), before);
    await untilReady(account, berlin);
    assert.deepEqual(await request(), before);
  });

  await t.test('names segments that do not exist, including those of another account', async () => {
    const missing = 'segment_01h455vb4pex5vsknk084sn02q';
    const request = (id: string) => parts.broker.request(SegmentsExist, { account_id: id, segment_ids: [berlin, missing] });
    assert.deepEqual(await request(account_id), { missing: [missing], failed: [], archived: [], dynamic: [berlin], sources: ['contacts'] });
    assert.deepEqual(await request(testClient(app).accountId), {
      missing: [berlin, missing],
      failed: [],
      archived: [],
      dynamic: [],
      sources: ['contacts'],
    });
  });

  await t.test('names failed segments and those that use one, and does not return their outdated members', async () => {
    const broken = await create('Broken', city('Berlin'));
    const naming = await create('Naming', { not: { segment: broken } });
    const ids = [broken, naming, vips];
    for (const id of ids) await untilReady(account, id);
    const frozen = new Date().toISOString();
    const before = await built.segments.get(account_id, trustedId<'segment'>(broken));
    await new Promise<void>((resolve) => setImmediate(resolve));
    const { segment } = changeSegment(
      before,
      { definition: { field: 'address.city', op: 'eq', value: 'Bonn' } },
      new Date(Date.parse(frozen) + 1),
    );
    await parts.mongo.transaction(origin(), (tx) => built.segments.replace(tx, account_id, { ...segment, status: 'failed' }, true));

    const exist = await parts.broker.request(SegmentsExist, { account_id, segment_ids: ids });
    assert.deepEqual([exist.missing, exist.failed], [[], [broken, naming]]);
    for (const id of [broken, naming]) {
      const reply = await parts.broker.request(SegmentsCaughtUp, { account_id, segment_ids: [id], positions: [] });
      assert.deepEqual(reply, { state: 'behind', as_of: null });
    }
    const page = (as_of: string) =>
      parts.broker.request(SegmentMembersPage, { account_id, segment_ids: [broken], as_of, after: null, limit: 100 });
    await assert.rejects(page(new Date(Date.parse(frozen) + 60_000).toISOString()));
    assert.ok((await page(frozen)).contact_ids.length > 0, 'an audience frozen before stays the same');
  });

  await t.test('evaluates a rule only on a recent enough revision of the contact', async () => {
    const [, second] = contacts;
    assert.ok(second);
    const evaluate = (rule: object, at_least_revision = 1, contact_id = second.id) =>
      parts.broker.request(RuleEvaluated, { account_id, contact_id, rule, at_least_revision });
    assert.deepEqual(await evaluate({ all: [city('Berlin'), { not: vip }] }), { known: true, matches: true });
    assert.deepEqual(await evaluate({ segment: vips }), { known: true, matches: false });
    assert.deepEqual(await evaluate(city('Berlin'), 2), { known: false, matches: false });
    assert.deepEqual(await evaluate(city('Berlin'), 1, newId('contact')), { known: false, matches: false });
    await parts.mongo.transaction(origin(), (tx) => built.contacts.applyDeletion(tx, account_id, { contactId: second.id, revision: 2 }));
    assert.deepEqual(await evaluate(city('Berlin'), 2), { known: true, matches: false });
    await assert.rejects(evaluate({ field: 'shoe_size', op: 'eq', value: 1 }));
  });
});
