import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { parse } from 'csv-parse/sync';
import { newRecipient, recipientsOf } from '../src/ledger/recipients/recipient-row.ts';
import { account, sendCampaign, smallest, startSetting, untilStatus } from './setting.ts';

test('the ledger by reason and engagement, and as CSV', async (t) => {
  const { app, parts, neighbours } = await startSetting(t);
  const owner = account(app);
  const people = 12;
  /** More than one page of an export. */
  const excluded = 1_200;
  const unsubscribed = 4;
  neighbours.contacts(owner.accountId, people, (index) => ({
    email: index === 9 ? '=cmd@ledger.example' : `l${index}@ledger.example`,
    ...(index < unsubscribed && { consent: { email: null, sms: null } }),
  }));
  const id = await sendCampaign(owner);
  await untilStatus(owner, id, 'sent');
  const source = { account_id: owner.accountId, source: 'campaign' as const, source_id: id, source_key: id, content_id: id };
  await recipientsOf(parts.mongo.db).insertMany(
    Array.from({ length: excluded }, () => newRecipient({ ...source, contact_id: newId('contact') }, true, new Date())),
  );
  const path = `/v2/campaigns/${id}/ledger`;
  const exported = async (query = ''): Promise<Record<string, string>[]> => {
    const { status, headers, text } = await owner.get(`${path}/export${query}`);
    assert.deepEqual([status, headers['content-type']], [200, 'text/csv; charset=utf-8']);
    return parse(text, { columns: true });
  };

  await t.test('lists only the recipients with a reason, page by page', async () => {
    const first = (await owner.get(`${path}?reason=pending_opt_in&limit=3`)).data;
    assert.deepEqual([first.items.length, first.pagination.has_more], [3, true]);
    const rest = (await owner.get(`${path}?reason=pending_opt_in&limit=3&cursor=${first.pagination.next_cursor}`)).data;
    assert.equal(rest.items.length, unsubscribed - 3);
    assert.equal((await owner.get(`${path}?reason=pending_opt_in&state=sent`)).data.items.length, 0);
    const other = await owner.get(`${path}?reason=excluded&cursor=${first.pagination.next_cursor}`);
    assert.equal(other.status, 400, 'a cursor belongs to its filter');
    const { status, error } = await owner.get(`${path}?reason=bad_mood`);
    assert.deepEqual([status, error.details[0].path], [400, '/query/reason']);
  });

  await t.test('has a line for every recipient, with the columns of the API, and no formulas', async () => {
    const lines = await exported();
    assert.equal(new Set(lines.map((line) => line.id)).size, people + excluded);
    assert.equal(lines.length, people + excluded);
    const { items } = (await owner.get(`${path}?limit=1`)).data;
    assert.deepEqual(Object.keys(lines[0] ?? {}), Object.keys(items[0]));
    assert.deepEqual([lines[0]?.id, lines[0]?.state], [items[0].id, items[0].state]);
    const formula = lines.find(({ address }) => address?.includes('=cmd'));
    assert.equal(formula?.address, "'=cmd@ledger.example");
    assert.equal((await exported('?reason=excluded')).length, excluded);
    assert.equal((await exported('?reason=pending_opt_in')).length, unsubscribed);
    assert.equal((await exported('?state=bounced')).length, 0);
  });

  await t.test('has addresses only for who may export contacts', async () => {
    const exports = [`${path}/export`, `/v2/campaigns/messages/ledger/export?workflow_id=${newId('workflow')}`];
    for (const url of exports) {
      for (const [scopes, hasAddresses] of [
        [['campaigns:read'], false],
        [['campaigns:read', 'contacts:export'], true],
      ] as const) {
        const { status, text } = await owner.as({ scopes: [...scopes] }).get(url);
        assert.equal(status, 200, text);
        const lines: Record<string, string>[] = parse(text, { columns: true });
        assert.equal(
          lines.some(({ address }) => address !== ''),
          url === exports[0] && hasAddresses,
        );
      }
    }
  });

  await t.test('lists the recipients that opened, clicked, or have not opened, and reads no other rows for it', async () => {
    const rows = recipientsOf(parts.mongo.db);
    const sent = await rows.find({ source_id: id, state: 'sent' }).sort({ _id: 1 }).toArray();
    assert.equal(sent.length, people - unsubscribed);
    const tallies = [
      { opened: { human: 2 } },
      { opened: { human: 1 }, clicked: { human: 1 } },
      { opened: { human: 0, machine: 1 }, clicked: { human: 0, machine: 1 } },
    ];
    for (const [index, { _id }] of sent.entries()) {
      const tally = tallies[index];
      if (tally) await rows.updateOne({ _id }, { $set: { tally } });
    }
    await parts.mongo.db.setProfilingLevel('all');
    const list = async (query: string) => (await owner.get(`${path}?${query}`)).data;
    const idsOf = (from: number, to?: number) => sent.slice(from, to).map(({ _id }) => _id);
    const listed = async (query: string) => (await list(query)).items.map((row: { id: string }) => row.id);
    assert.deepEqual(await listed('engagement=opened'), idsOf(0, 2));
    assert.deepEqual(await listed('engagement=clicked'), idsOf(1, 2));
    const first = await list('engagement=not_opened&limit=3');
    const next = await list(`engagement=not_opened&limit=3&cursor=${first.pagination.next_cursor}`);
    assert.deepEqual(
      [...first.items, ...next.items].map((row) => row.id),
      idsOf(2),
    );
    assert.deepEqual(
      (await exported('?engagement=opened')).map(({ opens, clicks }) => [opens, clicks]),
      [
        ['2', '0'],
        ['1', '1'],
      ],
    );
    await parts.mongo.db.setProfilingLevel('off');
    const hints = ['opened', 'clicked', 'not_opened'];
    const queries = await parts.mongo.db
      .collection('system.profile')
      .find({ 'command.hint': { $in: hints } })
      .toArray();
    assert.equal(queries.length, 5);
    for (const { docsExamined, hasSortStage } of queries) assert.ok(docsExamined <= sent.length && !hasSortStage);

    for (const format of ['', '/export']) {
      const { status, error } = await owner.get(`${path}${format}?engagement=opened&state=sent`);
      assert.deepEqual([status, error.details[0].code], [400, 'unsupported_combination']);
    }
    const other = await owner.get(`${path}?engagement=opened&cursor=${first.pagination.next_cursor}`);
    assert.equal(other.status, 400, 'a cursor belongs to its filter');
  });

  await guaranteeRoute(t, app, {
    ...{ method: 'GET', scope: 'campaigns:read' },
    url: async (client) => `/v2/campaigns/${(await client.post('/v2/campaigns', smallest)).data.id}/ledger/export`,
  });
});
