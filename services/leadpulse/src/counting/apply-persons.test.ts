import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContactIdentified } from '@mp/contracts/events/leadpulse';
import { type AccountId, newId } from '@mp/ids';
import { testParts } from '@mp/test-kit/test-parts';
import { writtenEvents } from '@mp/test-kit/written-events';
import { countEvents, testCounting } from '../../test/counting.ts';
import { isRejection, newEvent } from '../events/event.ts';
import { createUntilApplied } from './apply-persons.ts';

test('events that follow an identify', async (t) => {
  const parts = await testParts(t, 'leadpulse');
  const counting = testCounting(parts);
  const { events, visitors, sessions, rollups, visitorDays, identities } = counting;
  for (const store of [events, visitors, sessions, rollups, visitorDays, identities]) await store.prepare();
  const rows = parts.mongo.db.collection('events');

  /** Stores an event, then one that identifies its contact. */
  async function store(accountId: AccountId) {
    const made = (event: string) => {
      const one = newEvent(accountId, { event, external_id: 'u1' }, { now: new Date() });
      if (isRejection(one)) throw new Error(one.message);
      return one;
    };
    const person = { contact_id: null, external_id: 'u1', email: 'ada@example.com', fields: { first_name: 'Ada' } };
    const [track, identify] = [made('seen'), { ...made('$identify'), person }];
    await events.insert([{ event: track }, { event: identify }]);
    return { track, identify };
  }

  await t.test('are counted once contacts has confirmed it, even if they were stored before it', async () => {
    const accountId = newId('account');
    const { identify } = await store(accountId);
    const untilApplied = createUntilApplied({ events, broker: { ready: () => true } });
    const counted: unknown[] = [];
    const waiting = async (account: AccountId, ids: readonly string[]) => {
      const pending = await rows.find({ account_id: accountId, pending: true }).toArray();
      counted.push(
        ids,
        pending.map(({ name }) => name),
        await events.allApplied(accountId, ids),
      );
      await parts.mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => events.markApplied(tx, accountId, identify.id));
      await untilApplied(account, ids);
    };
    assert.equal(await countEvents({ ...counting, untilApplied: waiting }, accountId), 2);
    assert.deepEqual(counted, [[identify.id], ['seen'], false]);
    const [event] = await writtenEvents(parts.mongo.db, { accountId, subject: ContactIdentified.subject });
    assert.deepEqual([event?.envelope.data.key, event?.envelope.data.person], [identify.id, 'external:u1']);
    const [row] = await rows.find({ account_id: accountId, name: '$identify' }).toArray();
    assert.deepEqual([row?.person, row?.applying], [undefined, undefined], 'what was said of the contact is not kept');
  });

  await t.test('are counted without it if contacts does not reply, and the account does not wait again', async () => {
    const [accountId, other] = [newId('account'), newId('account')];
    await store(accountId);
    const untilApplied = createUntilApplied({ events, broker: { ready: () => true } });
    assert.equal(await countEvents({ ...counting, untilApplied }, accountId), 2);
    let requests = 0;
    const allApplied: typeof events.allApplied = async (...of) => {
      requests += 1;
      return events.allApplied(...of);
    };
    const watched = createUntilApplied({ events: { allApplied }, broker: { ready: () => true } });
    const applying = await rows.find({ account_id: accountId, applying: true }).toArray();
    const ids = applying.map(({ _id }) => String(_id));
    await watched(accountId, ids);
    const before = requests;
    await watched(accountId, ids);
    assert.equal(requests, before);
    await watched(other, ids);
    assert.equal(requests, before + 1);
  });

  await t.test('wait briefly while another account waits in vain, so that contacts that is down does not stop counting', async () => {
    let requests = 0;
    const allApplied = async () => {
      requests += 1;
      return false;
    };
    const untilApplied = createUntilApplied({ events: { allApplied }, broker: { ready: () => true } });
    await untilApplied(newId('account'), ['activity_x']);
    const ofOne = requests;
    for (let others = 0; others < 5; others += 1) await untilApplied(newId('account'), ['activity_x']);
    assert.ok(requests - ofOne <= 5 * 7, `${ofOne} questions of the first account, ${requests - ofOne} of five others`);
  });
});
