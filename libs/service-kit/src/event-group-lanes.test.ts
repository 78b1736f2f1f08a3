import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Lane } from '@mp/contracts/lanes';
import { newId } from '@mp/ids';
import { groupSetting, happened } from '../test/group-setting.ts';
import { pause } from './backoff.ts';

test('the lanes and turns of groups', async (t) => {
  await t.test('bulk events that arrive one by one are gathered into few groups', async (t) => {
    const { sizes, build } = await groupSetting(t);
    const groups = build();
    const begun = performance.now();
    const applied: Promise<void>[] = [];
    for (let event = 0; event < 60; event += 1) {
      applied.push(groups.apply(happened(), 'bulk'));
      await pause(5);
    }
    await Promise.all(applied);
    // One begins at once, and one every 200 ms.
    const most = 2 + (performance.now() - begun) / 200;
    assert.ok(sizes.length <= most, `groups of ${sizes} instead of ${most} at most`);
  });

  await t.test('a slow machine makes groups of the live lane small, and those of the bulk lane no smaller than a hundred', async (t) => {
    const { sizes, build } = await groupSetting(t);
    for (const [lane, events, expected] of [
      ['live', 40, [10, 10, 10, 10]],
      ['bulk', 300, [100, 100, 100]],
    ] as const) {
      const groups = build({ maxEvents: 200, atOnce: 1, groupMs: { live: 1, bulk: 1 } });
      await groups.apply(happened(), lane);
      sizes.length = 0;
      const [first, ...others] = Array.from({ length: events + 1 }, () => groups.apply(happened(), lane));
      await Promise.all([first, ...others]);
      assert.deepEqual(sizes.toSorted((a, b) => b - a).slice(0, expected.length), expected);
    }
  });

  await t.test('the longer the queue, the larger the groups of the live lane, on a slow machine, too', async (t) => {
    const { sizes, build } = await groupSetting(t);
    const groups = build({ maxEvents: 200, atOnce: 1, groupMs: { live: 1, bulk: 1 } });
    await groups.apply(happened());
    await Promise.all(Array.from({ length: 1_000 }, () => groups.apply(happened())));
    assert.ok(Math.max(...sizes) >= 49, `groups of ${sizes}`);
    assert.ok(sizes.length <= 80, `${sizes.length} groups`);
  });

  await t.test('an account waits for one group of another, not for its backlog', async (t) => {
    const order: string[] = [];
    const { build } = await groupSetting(t, (events) => {
      order.push(...events.map(({ account_id }) => account_id));
    });
    const groups = build({ maxEvents: 20, atOnce: 1 });
    const [loud, quiet] = [newId('account'), newId('account')];
    const flood = Array.from({ length: 400 }, () => groups.apply(happened({}, loud)));
    await groups.apply(happened({}, quiet));
    assert.ok(order.indexOf(quiet) <= 22, `after ${order.indexOf(quiet)} events`);
    await Promise.all(flood);
  });

  await t.test('an event of the live lane waits for no group of the bulk lane', async (t) => {
    const held = Promise.withResolvers<void>();
    const bulk = new Set<string>();
    const { build } = await groupSetting(t, (events) => (events.some(({ id }) => bulk.has(id)) ? held.promise : undefined));
    const groups = build({ maxEvents: 20, atOnce: 2 });
    const backlog = Array.from({ length: 100 }, () => happened());
    for (const { id } of backlog) bulk.add(id);
    const applied = backlog.map((event) => groups.apply(event, 'bulk'));
    await groups.apply(happened());
    await groups.apply(happened());
    held.resolve();
    await Promise.all(applied);
  });

  await t.test('the live lane comes first, and the bulk lane gets a fifth however busy the live lane is', async (t) => {
    const bulk = Array.from({ length: 40 }, () => happened());
    const order: Lane[] = [];
    const { build } = await groupSetting(t, (events) => {
      order.push(...events.map(({ id }) => (bulk.some((one) => one.id === id) ? 'bulk' : 'live')));
    });
    const groups = build({ maxEvents: 1, atOnce: 1 });
    const backlog = bulk.map((event) => groups.apply(event, 'bulk'));
    await Promise.all([...backlog, ...Array.from({ length: 40 }, () => groups.apply(happened()))]);
    const inFifty = order.slice(0, 50).filter((lane) => lane === 'bulk').length;
    assert.ok(inFifty >= 10 && inFifty <= 11, `${inFifty} of 50: ${order}`);
  });
});
