import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SegmentMembersAdd } from '@mp/contracts/requests/segments';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { trackAndCount, view } from '../../test/tracking.ts';
import { buildApp } from '../app.ts';

test('POST /v2/leadpulse/funnels/segment', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp, { live: true });
  const [list, dynamic] = [newId('segment'), newId('segment')];
  const members = new Set<string>();
  await parts.broker.reply(SegmentMembersAdd, async ({ segment_id, contact_ids }) => {
    if (segment_id !== list) return { refused: 'The segment is dynamic.', items: [] };
    const items = contact_ids.map((contact_id) => ({
      contact_id,
      status: members.has(contact_id) ? ('already_member' as const) : ('added' as const),
    }));
    for (const id of contact_ids) members.add(id);
    return { refused: null, items };
  });
  const url = '/v2/leadpulse/funnels/segment';
  const body = { steps: [{ page: '/' }, { event: 'signup' }], step: 1, outcome: 'dropped', segment_id: list };
  await guaranteeRoute(t, app, { method: 'POST', scope: 'leadpulse:write', url: () => url, body });

  const account = testClient(app);
  const at = (minute: number) => new Date(Date.now() - 3_600_000 + minute * 60_000).toISOString();
  const events = ['stayed', 'left', 'stranger'].map((visitor) => view(visitor, at(0)));
  await trackAndCount(parts, account, [...events, { ...view('stayed', at(5)), event: 'signup' }]);
  const contacts = { stayed: newId('contact'), left: newId('contact') };
  // The contacts service is not part of this test.
  for (const [visitor_id, contact_id] of Object.entries(contacts))
    await parts.mongo.db.collection('events').updateMany({ account_id: account.accountId, visitor_id }, { $set: { contact_id } });

  await t.test('adds the contacts who dropped off, or who reached a step, once', async () => {
    const first = await account.post(url, body);
    assert.equal(first.status, 200, first.text);
    assert.deepEqual(first.data, { segment_id: list, added: 1, already_members: 0, without_contact: 1 });
    assert.deepEqual([...members], [contacts.left]);
    const all = await account.post(url, { ...body, outcome: 'reached' });
    assert.deepEqual(all.data, { segment_id: list, added: 1, already_members: 1, without_contact: 1 });
  });

  await t.test('rejects a segment that cannot have them, and a caller that may not change segments', async () => {
    const wrong = await account.post(url, { ...body, segment_id: dynamic });
    assert.deepEqual([wrong.status, wrong.error.details[0].path, wrong.error.details[0].code], [400, '/segment_id', 'unusable_segment']);
    const limited = testClient(app, { account_id: account.accountId, scopes: ['leadpulse:write'] });
    assert.equal((await limited.post(url, body)).error.code, 'FORBIDDEN');
  });
});
