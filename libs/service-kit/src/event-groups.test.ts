import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineEvent } from '@mp/contracts/event';
import { runId } from '@mp/contracts/ids';
import { newId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import fc from 'fast-check';
import { z } from 'zod';
import { groupSetting, Happened, happened, written } from '../test/group-setting.ts';
import { onAll } from './consume.ts';
import { createEventGroups } from './event-groups.ts';

test('groups of events', async (t) => {
  await t.test('form behind a group in work; an idle consumer applies an event at once', async (t) => {
    const { sizes, rows, build } = await groupSetting(t);
    // Longer than on any machine: otherwise a slow first event makes groups of ten.
    const groups = build({ maxEvents: 200, atOnce: 2, groupMs: { live: 600_000, bulk: 600_000 } });
    await groups.apply(happened());
    assert.deepEqual(sizes, [1]);
    await Promise.all(Array.from({ length: 500 }, () => groups.apply(happened())));
    assert.equal(await rows.countDocuments(), 501);
    assert.ok(sizes.length <= 50, `${sizes.length} transactions`);
  });

  await t.test('an event that a group writes names the event that caused it', async (t) => {
    const { parts, sizes, build } = await groupSetting(t);
    const groups = build();
    const events = Array.from({ length: 60 }, () => happened());
    await Promise.all(events.map((event) => groups.apply(event)));
    assert.ok(Math.max(...sizes) >= 10, `groups of ${sizes}`);
    const causes = new Map((await written(parts)).map(({ data, ...caused }) => [data.contact_id, caused]));
    for (const { id, correlation_id, data } of events) {
      const caused = causes.get(data.contact_id);
      assert.deepEqual([caused?.causation_id, caused?.correlation_id], [id, correlation_id]);
    }
  });

  await t.test('an event at fault fails without affecting the others, after few transactions', async (t) => {
    let transactions = 0;
    const bad = new Set([happened().id, happened().id, happened().id]);
    const { rows, build } = await groupSetting(t, (events) => {
      transactions += 1;
      if (events.some(({ id }) => bad.has(id))) throw new Error('at fault');
    });
    const groups = build({ maxEvents: 128, atOnce: 1 });
    const events = Array.from({ length: 128 }, () => happened());
    const [first, ...others] = bad;
    for (const [index, id] of [[7, first], ...others.map((id, index) => [50 + index * 40, id] as const)] as const)
      events.splice(index, 1, { ...happened(), id: id ?? '' });
    const started = groups.apply(happened());
    const results = await Promise.allSettled(events.map((event) => groups.apply(event)));
    await started;
    assert.deepEqual(
      events.filter((_, index) => results[index]?.status === 'rejected').map(({ id }) => bad.has(id)),
      [true, true, true],
    );
    assert.equal(await rows.countDocuments(), 126);
    assert.ok(transactions <= 2 + 2 * bad.size * Math.log2(128), `${transactions} transactions`);
  });

  await t.test('all consumers of a process run at most 50 transactions at once, so that callers find a connection', async (t) => {
    const gate = Promise.withResolvers<void>();
    let [running, most] = [0, 0];
    const { parts, build } = await groupSetting(t, async () => {
      running += 1;
      most = Math.max(most, running);
      await gate.promise;
      running -= 1;
    });
    const consumers = Array.from({ length: 3 }, () => build({ maxEvents: 1, atOnce: 64 }));
    const all = consumers.flatMap(({ apply }) => Array.from({ length: 60 }, () => apply(happened())));
    await eventually(async () => running >= 50);
    await parts.mongo.transaction({ correlationId: 'caller', causationId: null }, async () => undefined);
    gate.resolve();
    await Promise.all(all);
    assert.equal(most, 50);
  });

  await t.test('a group has one event of a contact, and its events take effect in order', async (t) => {
    const { rows, build } = await groupSetting(t, (events) => {
      assert.equal(new Set(events.map(({ data }) => data.contact_id)).size, events.length);
    });
    const groups = build();
    const contact_id = newId('contact');
    await Promise.all(Array.from({ length: 30 }, (_, n) => groups.apply(happened({ contact_id, revision: n + 1 }))));
    assert.equal((await rows.findOne({ _id: contact_id }))?.revision, 30);
  });

  await t.test(
    'results of effects name only their run: a group has one of each run, and those of a run take effect in order',
    async (t) => {
      const { mongo, outbox, prepare } = await testParts(t, 'kit');
      await prepare();
      const Ended = defineEvent({
        ...{ type: 'kit.effect.ended', version: 1, meaning: 'An effect ended.' },
        data: z.object({ run_id: runId, step: z.number().int() }),
      });
      const order = new Map<string, number[]>();
      let largest = 0;
      const reaction = onAll(Ended, async (tx, events) => {
        assert.equal(new Set(events.map(({ data }) => data.run_id)).size, events.length);
        await outbox.addMany(
          tx,
          Ended,
          account,
          events.map(({ data }) => data),
        );
        tx.afterCommit(() => {
          largest = Math.max(largest, events.length);
          for (const { data } of events) order.set(data.run_id, [...(order.get(data.run_id) ?? []), data.step]);
        });
      });
      const groups = createEventGroups({ mongo, name: 'kit' }, { maxEvents: 200, atOnce: 2 });
      const [account, runs] = [newId('account'), Array.from({ length: 20 }, () => newId('run'))];
      const events = [1, 2, 3].flatMap((step) => runs.map((run_id) => ({ ...happened({}, account), data: { run_id, step } })));
      await Promise.all(events.map((event) => groups.apply(event, reaction, 500)));
      assert.ok(largest > 5, `the largest group had ${largest} events`);
      assert.deepEqual(
        runs.map((id) => order.get(id)),
        runs.map(() => [1, 2, 3]),
      );
      const causes = (await writtenEvents(mongo.db)).map(({ envelope }) => envelope.causation_id);
      assert.deepEqual(causes.sort(), events.map(({ id }) => id).sort());
    },
  );

  await t.test('a group whose effects are too large for one transaction is halved, and no event fails', async (t) => {
    const { mongo, prepare } = await testParts(t, 'kit');
    await prepare();
    await mongo.db.createCollection('large');
    // MongoDB 4.0 limits a transaction to 16 MiB.
    const text = 'x'.repeat(150_000);
    let attempts = 0;
    const reaction = onAll(Happened, async (tx, events) => {
      attempts += 1;
      await mongo.db.collection('large').insertMany(
        events.map(() => ({ text })),
        { session: tx.session },
      );
    });
    const groups = createEventGroups({ mongo, name: 'kit' }, { maxEvents: 150, atOnce: 1, groupMs: { live: 600_000, bulk: 600_000 } });
    await Promise.all(Array.from({ length: 151 }, () => groups.apply(happened(), reaction, 500)));
    assert.equal(await mongo.db.collection('large').countDocuments(), 151);
    assert.ok(attempts <= 5, `${attempts} transactions`);
  });

  await t.test('events that wait when the process stops are given back', async (t) => {
    const gate = Promise.withResolvers<void>();
    const { rows, build } = await groupSetting(t, () => gate.promise);
    const groups = build({ maxEvents: 1, atOnce: 1 });
    const [begun, waiting] = [groups.apply(happened()), groups.apply(happened())];
    groups.stop();
    await assert.rejects(waiting, { code: 'SERVICE_UNAVAILABLE' });
    gate.resolve();
    await begun;
    assert.equal(await rows.countDocuments(), 1);
  });

  await t.test('any history in any grouping, even by two processes, has the effect of its events one by one', async (t) => {
    const { parts, rows, build } = await groupSetting(t);
    const revisions = fc.array(fc.record({ contact: fc.nat(4), revision: fc.integer({ min: 1, max: 6 }), again: fc.boolean() }), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(revisions, fc.integer({ min: 1, max: 9 }), async (history, maxEvents) => {
        const account = newId('account');
        const contacts = Array.from({ length: 5 }, () => newId('contact'));
        const events = history.flatMap(({ contact, revision, again }) => {
          const event = happened({ contact_id: contacts[contact] ?? newId('contact'), revision }, account);
          return again ? [event, event] : [event];
        });
        const replicas = [build({ maxEvents, atOnce: 2 }), build({ maxEvents, atOnce: 2 })];
        await Promise.all(events.map((event, index) => replicas[index % 2]?.apply(event)));
        for (const id of contacts) {
          const own = events.flatMap(({ data }) => (data.contact_id === id ? [data.revision] : []));
          assert.equal((await rows.findOne({ _id: id }))?.revision, own.length === 0 ? undefined : Math.max(...own));
        }
        const said = (await written(parts)).filter(({ account_id }) => account_id === account).map(({ causation_id }) => causation_id);
        assert.equal(new Set(said).size, said.length, 'no event has its effect twice');
      }),
      { numRuns: 25 },
    );
  });
});
