import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestGateway } from '../../../test/start-test-gateway.ts';

test('the usage of past days', async (t) => {
  const clock = { now: Date.parse('2026-03-01T12:00:00Z') };
  const gateway = await startTestGateway(t, { now: () => clock.now });
  const { call, send, makeKey, makeAccount, stores } = gateway;
  const account = await makeAccount('growth');
  const [admin, reader] = [await makeKey({ account }), await makeKey({ account, permission: 'read_only' })];
  const history = async (query = '') => (await call(`/v2/settings/usage/history${query}`, { key: admin })).data;
  type Row = { date: string; requests: number; credential_id: string | null; route_class: string | null };
  const rows = ({ items }: { items: Row[] }) =>
    items.map(({ date, requests, credential_id, route_class }) => [date, requests, credential_id ?? route_class]);

  for (const [date, reads, writes] of [
    ['2026-03-01', 3, 2],
    ['2026-03-02', 1, 0],
  ] as const) {
    clock.now = Date.parse(`${date}T12:00:00Z`);
    for (let index = 0; index < reads; index += 1) assert.equal((await call('/v2/contacts', { key: reader })).status, 200);
    for (let index = 0; index < writes; index += 1) assert.equal((await send('POST', '/v2/contacts', {}, { key: admin })).status, 200);
    // Neither of these is charged.
    await send('POST', '/v2/contacts', {}, { key: reader });
    await call('/v2/contacts', { headers: await gateway.signIn(account) });
  }
  clock.now = Date.parse('2026-03-03T12:00:00Z');
  await gateway.flushUsage();

  await t.test('is returned by day, by credential and by route class', async () => {
    assert.deepEqual(rows(await history('?date[lte]=2026-03-02')), [
      ['2026-03-02', 1, null],
      ['2026-03-01', 5, null],
    ]);
    const byKey = rows(await history('?by=credential&date[lte]=2026-03-02'));
    assert.deepEqual(
      byKey.toSorted(),
      [
        ['2026-03-01', 2, admin.key.id],
        ['2026-03-01', 3, reader.key.id],
        ['2026-03-02', 1, reader.key.id],
      ].toSorted(),
    );
    assert.deepEqual(rows(await history(`?by=credential&credential_id=${reader.key.id}&date[gte]=2026-03-02`)), [
      ['2026-03-02', 1, reader.key.id],
    ]);
    assert.deepEqual(rows(await history('?by=route_class&date[lte]=2026-03-01')).toSorted(), [
      ['2026-03-01', 2, 'contacts:write'],
      ['2026-03-01', 3, 'contacts:read'],
    ]);
    assert.deepEqual(rows(await history('?by=route_class&route_class=contacts:write')), [['2026-03-01', 2, 'contacts:write']]);
  });

  await t.test('is paged and restricted to the account', async () => {
    const first = await history('?by=credential&limit=1&date[lte]=2026-03-02');
    const rest = await history(`?by=credential&limit=2&date[lte]=2026-03-02&cursor=${first.pagination.next_cursor}`);
    assert.deepEqual([first.items.length, rest.items.length, rest.pagination.has_more], [1, 2, false]);
    const stranger = await makeKey();
    assert.deepEqual((await call('/v2/settings/usage/history?by=credential', { key: stranger })).data.items, []);
  });

  await t.test('rejects unsupported combinations of filters', async () => {
    for (const query of ['?credential_id=x', '?by=credential&route_class=none', '?by=week', '?date[gte]=yesterday']) {
      assert.equal((await call(`/v2/settings/usage/history${query}`, { key: admin })).status, 400, query);
    }
  });

  await t.test('is kept for 400 days', async () => {
    for (const name of ['usage', 'usage_shares']) {
      const row = await gateway.parts.mongo.db.collection(name).findOne({ date: '2026-03-01', account_id: account.id });
      assert.equal(row?.expires_at.toISOString(), '2027-04-05T00:00:00.000Z');
    }
  });

  await t.test('counts of two gateways add up', async () => {
    const row = { account_id: account.id, date: '2026-03-09', of: 'route_class', name: 'none', requests: 1 } as const;
    let unwritten = Array.from({ length: 8 }, () => row);
    while (unwritten.length > 0)
      unwritten = (await Promise.all(unwritten.map((one) => stores.usageBreakdown.add([one])))).flat().map(() => row);
    assert.deepEqual(rows(await history('?by=route_class&date[gte]=2026-03-09')), [['2026-03-09', 8, 'none']]);
  });
});
