import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testClient } from '@mp/test-kit/client';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { countEvents, testCounting } from '../test/counting.ts';
import { trackAndCount, view } from '../test/tracking.ts';
import { buildApp } from './app.ts';

const day = 86_400_000;

test('continues with data of an earlier version, without the fields that it did not store', async (t) => {
  const parts = await testParts(t, 'leadpulse', { isNew: true });
  const { db } = parts.mongo;
  const account_id = newId('account');
  const visitor = newId('visitor');
  const at = new Date(Math.floor(Date.now() / day) * day - 2 * day);
  await db.collection('visitor_days').createIndex({ account_id: 1, day: 1, bot: 1, visitor: 1 }, { name: 'day' });
  await db.collection('sessions').createIndex({ account_id: 1, started_at: 1 }, { name: 'start' });
  await db.collection('events').createIndex({ account_id: 1, claim: 1 }, { name: 'claim' });
  await db.collection('events').createIndex({ time: 1 }, { name: 'expiry', expireAfterSeconds: 401 * 86_400 });
  await db
    .collection<{ _id: string; account_id: string; store_networks: boolean }>('settings')
    .insertOne({ _id: account_id, account_id, store_networks: false });
  const earlier = (key: string, day: Date) => ({
    _id: `${account_id} ${key} human ${day.getTime()}`,
    ...{ account_id, visitor: key, bot: false, day, quarters: [1, 40] },
  });
  await db
    .collection<{ _id: string }>('visitor_days')
    .insertMany([earlier(visitor, at), earlier(visitor, new Date(at.getTime() - day)), earlier(newId('visitor'), at)]);
  const { app } = await testService(t, parts, buildApp);
  const account = testClient(app, { account_id });
  const daily = await account.get('/v2/leadpulse/analytics?interval=day');
  assert.deepEqual(
    daily.data.series.slice(-4).map(({ visitors }: { visitors: number }) => visitors),
    [1, 2, 0, 0],
  );
  assert.equal(daily.data.totals.visitors, 2);
  assert.equal(await db.collection('visitor_days').indexExists('day'), false);
  const { data: settings } = await account.get('/v2/leadpulse/settings');
  assert.deepEqual([settings.store_networks, settings.retention_days, settings.session_timeout_minutes], [false, 400, 30]);
  const expiry = (await db.collection('events').indexes()).find(({ name }) => name === 'expiry');
  assert.equal(expiry?.expireAfterSeconds, 801 * 86_400, 'events are kept as long as the settings can say');
  await trackAndCount(parts, account, [view('v1', new Date(at.getTime() + 60_000).toISOString())]);
  await db.collection('sessions').updateMany({ account_id }, { $unset: { sample: '', arrival: '' } });
  await db.collection('visitor_days').updateMany({ account_id }, { $unset: { sample: '' } });
  await db.collection('daily_visitors').deleteMany({ account_id });
  await account.post('/v2/leadpulse/track', { ...view('v1', new Date(at.getTime() + 120_000).toISOString()), email: 'ada@example.com' });
  await db
    .collection('events')
    .updateMany({ account_id, pending: true }, { $set: { claim: 'email:ada@example.com' }, $unset: { claims: '' } });
  assert.equal(await countEvents(testCounting(parts), account_id), 1);
  const [row] = (await account.get('/v2/leadpulse/visitors?visitor_id=v1')).data.items;
  assert.equal(row.events, 2);
  const stored = await db.collection('visitors').findOne({ account_id });
  assert.deepEqual(stored?.claims, ['email:ada@example.com']);
  const response = await account.get('/v2/leadpulse/analytics?by=source&interval=week');
  assert.equal(response.status, 200, response.text);
  assert.equal(response.data.totals.events, 2);
});
