import assert from 'node:assert/strict';
import { test } from 'node:test';
import { positionRequests } from '@mp/contracts/requests/positions';
import { streams } from '@mp/contracts/streams';
import { newId, type VisitorId } from '@mp/ids';
import { eventually } from '@mp/test-kit/eventually';
import { testParts } from '@mp/test-kit/test-parts';
import { createEventsStore } from '../events/events-store.ts';
import { createVisitorsStore } from '../visitors/visitors-store.ts';
import { replyWithLeadpulsePosition } from './reply-position.ts';

test('a position is reached once visitors identified before it have their events, even if more are identified in the meantime', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const { broker, mongo, cursors } = parts;
  broker.start();
  await broker.ensureStream(streams.leadpulse);
  const [events, visitors] = [createEventsStore(mongo.db), createVisitorsStore(mongo.db, cursors)];
  for (const store of [events, visitors]) await store.prepare();
  const accountId = newId('account');
  const looks: string[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  await replyWithLeadpulsePosition(parts, {
    events,
    visitors: {
      attributingSince: async (account, which) => {
        if (which === 'oldest') looks.push(account);
        await gates[0]?.promise;
        return visitors.attributingSince(account, which);
      },
    },
    counter: { wake: () => undefined },
    contacts: { reads: { stream: streams.contacts, readers: [] }, progressTo: async () => 'applied' },
  })();
  const rows = mongo.db.collection<{ _id: string; attributing_at?: Date }>('visitors');
  const origin = { correlationId: 'test', causationId: null };
  const recognised = async (name: string, id = newId('visitor')) => {
    const row = { _id: id, account_id: accountId, key: id, claims: [`external:${name}`], contact_id: null };
    await rows.updateOne({ _id: id }, { $setOnInsert: row }, { upsert: true });
    const { attributing_at: newest = new Date(0) } =
      (await rows.findOne({ account_id: accountId }, { sort: { attributing_at: -1 } })) ?? {};
    await eventually(async () => Date.now() > newest.getTime());
    await mongo.transaction(origin, (tx) =>
      visitors.identify(tx, [{ accountId, contactId: newId('contact'), claims: [`external:${name}`] }]),
    );
    return id;
  };
  const finish = (id: VisitorId) => mongo.transaction(origin, (tx) => visitors.finishAttributing(tx, accountId, id));
  const requestPosition = ({ mark = null }: { mark?: string | null } = {}) =>
    broker.request(positionRequests.leadpulse, {
      account_id: accountId,
      mark,
      after: [{ stream: streams.contacts.name, epoch: 'e', sequence: 1 }],
    });
  const isKnown = ({ position }: Awaited<ReturnType<typeof requestPosition>>) => position !== null;

  const first = await recognised('first');
  const waiting = await requestPosition();
  assert.equal(isKnown(waiting), false);
  const later = await recognised('later');
  assert.equal(isKnown(await requestPosition(waiting)), false);
  await recognised('first', first);
  assert.equal(isKnown(await requestPosition(waiting)), false, 'a visitor that is identified again has waited since the first time');
  await finish(first);
  assert.equal(isKnown(await requestPosition(waiting)), true);
  assert.equal(isKnown(await requestPosition()), false, 'a new request waits for the later one');

  const earlier = await recognised('of an earlier version');
  await rows.updateOne({ _id: earlier }, { $unset: { attributing_at: '' } });
  await finish(later);
  const beforeIt = await requestPosition();
  assert.equal(isKnown(beforeIt), false, 'waits for a row of an earlier version too');
  await recognised('after it');
  await finish(earlier);
  assert.equal(isKnown(await requestPosition(beforeIt)), true);

  await t.test('concurrent requests share their look-ups', async () => {
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    looks.length = 0;
    const positions = Array.from({ length: 20 }, () => requestPosition(beforeIt));
    await eventually(async () => looks.length > 0);
    gate.resolve();
    assert.ok((await Promise.all(positions)).every(isKnown));
    assert.ok(looks.length < 20, `${looks.length} look-ups`);
  });
});
