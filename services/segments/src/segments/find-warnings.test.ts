import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventTracked } from '@mp/contracts/events/leadpulse';
import { newId } from '@mp/ids';
import type { Rule } from '@mp/rules/rule';
import { createMetrics } from '@mp/service-kit/metrics';
import { testClient } from '@mp/test-kit/client';
import { startCpuClock } from '@mp/test-kit/cpu-clock';
import { eventually } from '@mp/test-kit/eventually';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { applyAll, contactWith, publish } from '../../test/contacts.ts';
import { buildApp } from '../app.ts';
import { createFindWarnings } from './find-warnings.ts';

test('warnings about the names in a definition', async (t) => {
  const parts = await testParts(t, 'segments');
  const { app, built } = await testService(t, parts, buildApp, { live: true });
  const account = testClient(app);
  const contact = contactWith({ attributes: { plan: 'pro', seats: 5 } });
  await applyAll(parts, built, account.accountId, [contact]);
  const track = (event: string, contact_id: string | null) =>
    publish(parts, EventTracked, account.accountId, {
      ...{ event_id: newId('activity'), event, visitor_id: 'v1', contact_id, time: new Date().toISOString() },
      ...{ properties: {}, value: null, bot: false },
    });
  await track('order_placed', contact.id);
  await eventually(async () => (await built.names.list(account.accountId, 'event')).length === 1);
  const definition = {
    all: [
      { event: 'order_placed' },
      { event: 'Order-Placed', count: { gte: 2 } },
      { not: { field: 'attributes.plann', op: 'exists' } },
      { date: 'attributes.renewal', op: 'in_last', value: 'P1D' },
      { field: 'city', op: 'exists' },
      { sequence: [{ event: 'order_placed' }, { not_event: 'order_paced' }], within: 'P7D' },
    ],
  };
  const expected = [
    ['/definition/all/1/event', 'unknown_event', 'order_placed'],
    ['/definition/all/5/sequence/1/not_event', 'unknown_event', 'order_placed'],
    ['/definition/all/2/not/field', 'unknown_attribute', 'plan'],
    ['/definition/all/3/date', 'unknown_attribute', null],
  ];
  type Warning = { path: string; code: string; nearest: string | null };
  const summary = (warnings: Warning[]) => warnings.map(({ path, code, nearest }) => [path, code, nearest]);

  await t.test('name each one that the account has never had, with the most similar one', async () => {
    const created = await account.post('/v2/segments', { name: 'Typos', definition });
    assert.deepEqual(summary(created.data.warnings), expected, created.text);
    assert.match(created.data.warnings[0].message, /Did you mean order_placed\?/);
    const put = await account.put(`/v2/segments/${created.data.id}`, created.data);
    assert.deepEqual([put.status, summary(put.data.warnings)], [200, expected], put.text);
    assert.deepEqual(summary((await account.post('/v2/segments/preview', { definition })).data.warnings), expected);
    const other = await testClient(app).post('/v2/segments', { name: 'Other', definition: { event: 'order_placed' } });
    assert.deepEqual(summary(other.data.warnings), [['/definition/event', 'unknown_event', null]], 'names of other accounts are unknown');
  });

  await t.test('know the names from before names were stored', async () => {
    for (const name of ['names', 'once']) await parts.mongo.db.collection(name).deleteMany({});
    const { built: replica } = await testService(t, parts, (own) => buildApp({ ...own, metrics: createMetrics('segments') }));
    replica.learnNamesOnce.start();
    t.after(() => replica.learnNamesOnce.stop());
    const warnings = async () => (await account.post('/v2/segments/preview', { definition })).data.warnings;
    await eventually(async () => JSON.stringify(summary(await warnings())) === JSON.stringify(expected));
  });

  await t.test('know the events of visitors without a contact', async () => {
    await track('signed_up', null);
    const warnings = async () => (await account.post('/v2/segments/preview', { definition: { event: 'signed_up' } })).data.warnings;
    await eventually(async () => (await warnings()).length === 0);
  });
});

test('a definition of a thousand unknown names delays no other account, however many names the account has', async () => {
  const nameOf = (letter: string, index: number) => `${letter.repeat(90)}${index}`;
  const findWarnings = createFindWarnings({
    names: {
      unknown: async (_account, _kind, names) => new Set(names),
      list: async () => Array.from({ length: 10_000 }, (_, index) => nameOf('k', index)),
    },
    typesOf: async () => new Map(),
  });
  const sequence = (leaf: number) => Array.from({ length: 10 }, (_, step) => ({ event: nameOf('u', leaf * 10 + step) }));
  const leaves: Rule[] = [
    { event: `${'k'.repeat(89)}7` },
    ...Array.from({ length: 100 }, (_, leaf) => ({ sequence: sequence(leaf), within: 'P7D' })),
  ];
  const clock = startCpuClock();
  const warnings = await findWarnings(newId('account'), { any: leaves });
  assert.ok(clock() < 500, `${clock()} ms`);
  assert.deepEqual([warnings.length, warnings[0]?.nearest], [50, nameOf('k', 7)]);
});
