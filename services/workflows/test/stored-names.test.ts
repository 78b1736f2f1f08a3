import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClient } from '@mp/test-kit/client';
import type { Filter } from 'mongodb';
import { quietService, smallest } from './setting.ts';

type Row = { _id: string; quiet_hours?: unknown; definition?: string };

const former = { start: '22:00', end: '07:00', timezone: 'UTC' };
const current = { from: '22:00', to: '07:00', timezone: 'UTC' };
/** Responses have both names. */
const shown = { ...former, ...current };

test('quiet hours that a version stored as `start` and `end` are read, changed and stored by these names', async (t) => {
  const { app, parts } = await quietService(t);
  const account = testClient(app);
  const rows = (name: string) => parts.mongo.db.collection<Row>(name);
  const rowOf = (name: string, filter: Filter<Row>) => rows(name).findOne(filter);

  await t.test('in the settings of the account', async () => {
    const _id = account.accountId;
    await rows('settings').insertOne({ _id, ...{ account_id: _id, quiet_hours: former, revision: 3 } });
    const { data } = await account.get('/v2/workflows/settings');
    assert.deepEqual([data.quiet_hours, data.revision], [shown, 3]);
    assert.equal((await account.put('/v2/workflows/settings', data)).data.revision, 3, 'what GET returned changes nothing');
    const changed = await account.put('/v2/workflows/settings', { quiet_hours: { ...current, to: '08:00' } });
    assert.deepEqual(changed.data.quiet_hours, { ...shown, to: '08:00', end: '08:00' });
    assert.deepEqual((await rowOf('settings', { _id }))?.quiet_hours, { ...former, end: '08:00' });
  });

  await t.test('in a workflow and its versions', async () => {
    const { id } = (await account.post('/v2/workflows', smallest)).data;
    for (const [name, filter] of [
      ['workflows', { _id: id }],
      ['versions', { workflow_id: id }],
    ] as const) {
      const row = await rowOf(name, filter);
      assert.ok(row?.definition, name);
      const definition = JSON.stringify({ ...JSON.parse(row.definition), quiet_hours: former });
      await rows(name).updateOne({ _id: row._id }, { $set: { definition } });
    }
    const { data } = await account.get(`/v2/workflows/${id}`);
    assert.deepEqual(data.quiet_hours, shown);
    assert.deepEqual((await account.get(`/v2/workflows/${id}/versions`)).data.items[0].quiet_hours, shown);
    assert.equal((await account.put(`/v2/workflows/${id}`, data)).data.revision, data.revision, 'what GET returned changes nothing');
    await account.put(`/v2/workflows/${id}`, { name: 'Renamed' });
    assert.deepEqual(JSON.parse((await rowOf('workflows', { _id: id }))?.definition ?? '').quiet_hours, former);
  });
});
