import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { parse } from 'csv-parse/sync';
import { newRecipient, recipientsOf } from '../src/recipients/recipient-row.ts';
import { account, sendCampaign, smallest, startSetting, untilStatus } from './setting.ts';

test('the ledger by reason and as CSV', async (t) => {
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

  await guaranteeRoute(t, app, {
    ...{ method: 'GET', scope: 'campaigns:read' },
    url: async (client) => `/v2/campaigns/${(await client.post('/v2/campaigns', smallest)).data.id}/ledger/export`,
  });
});
