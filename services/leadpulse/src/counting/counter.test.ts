import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNamedLeases } from '@mp/service-kit/named-leases';
import { testClient } from '@mp/test-kit/client';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { testCounting } from '../../test/counting.ts';
import { buildApp } from '../app.ts';
import { createCounter } from './counter.ts';

test('events of an account are counted while a batch of another account takes long', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  const [slow, quick] = [testClient(app), testClient(app)];
  const released = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const lookUpContacts = () => {
    begun.resolve();
    return released.promise;
  };
  const counter = createCounter({
    ...testCounting(parts),
    lookUpContacts,
    leases: createNamedLeases(parts.mongo.db, 'leases'),
    logger: parts.logger,
  });
  t.after(() => {
    released.resolve();
    return counter.stop();
  });
  counter.start();
  await slow.post('/v2/leadpulse/track', { event: 'seen', email: 'ada@example.com' });
  await begun.promise;

  await quick.post('/v2/leadpulse/track', { event: 'seen', visitor_id: 'v1' });
  const isCounted = async (account: typeof slow) => (await account.get('/v2/leadpulse/analytics')).data.totals.events === 1;
  await eventually(() => isCounted(quick));
  assert.equal(await isCounted(slow), false);
});

test('an account with many events is counted a batch at a time, in turn with the others', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  const accounts = Array.from({ length: 6 }, () => testClient(app));
  const leases = createNamedLeases(parts.mongo.db, 'leases');
  const turns: string[] = [];
  const take = (accountId: string, ms: number) => {
    turns.push(accountId);
    return leases.take(accountId, ms);
  };
  const counter = createCounter({ ...testCounting(parts), leases: { ...leases, take }, logger: parts.logger });
  for (const account of accounts) {
    const events = Array.from({ length: 600 }, (_, number) => ({ event: 'seen', visitor_id: `v${number % 3}` }));
    await account.post('/v2/leadpulse/track', { events });
  }
  t.after(counter.stop);
  counter.start();
  const events = parts.mongo.db.collection('events');
  await eventually(async () => (await events.countDocuments({ pending: true })) === 0);
  const first = turns.slice(0, accounts.length);
  assert.equal(new Set(first).size, accounts.length, 'each account has its first turn before any has its second');
});

test('an event that cannot be counted is set aside, and the others are counted without it', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { app } = await testService(t, parts, buildApp);
  const account = testClient(app);
  const body = Array.from({ length: 300 }, (_, number) => ({ event: 'seen', visitor_id: `v${number % 3}`, message_id: `m${number}` }));
  await account.post('/v2/leadpulse/track', { events: body });
  const events = parts.mongo.db.collection('events');
  await events.updateOne({ account_id: account.accountId, message_id: 'm170' }, { $set: { time: 'never' } });
  const leases = createNamedLeases(parts.mongo.db, 'leases');
  let turns = 0;
  const take = (accountId: string, ms: number) => {
    turns += 1;
    return leases.take(accountId, ms);
  };
  const counter = createCounter({ ...testCounting(parts), leases: { ...leases, take }, logger: parts.logger });
  t.after(counter.stop);
  counter.start();
  await eventually(async () => (await events.countDocuments({ pending: true })) === 0);
  await counter.stop();
  assert.equal((await account.get('/v2/leadpulse/analytics')).data.totals.events, 299);
  assert.equal(await events.countDocuments({ parked: { $exists: true } }), 1);
  assert.ok(turns <= 60, `${turns} turns`);
});
