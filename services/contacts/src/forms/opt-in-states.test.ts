import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consentInForce } from '@mp/contracts/consent-in-force';
import fc from 'fast-check';
import { advance, type OptIn, type OptInEvent, optInEvents, optInOf, optInStates, recordedAfter } from './opt-in-states.ts';

const start: OptIn = { state: 'none', open: [] };

const requests = ['form 1', 'form 2'];
const anEvent = fc.record({ event: fc.constantFrom(...optInEvents), request: fc.constantFrom(...requests) });
const history = fc.array(anEvent, { maxLength: 40 });

type Happened = { event: OptInEvent; request: string };

/** Every state of a history, with the event that led to it. */
function follow(events: readonly Happened[]) {
  let now = start;
  return events.map(({ event, request }) => {
    const before = now;
    const after = advance(before, event, request);
    now = { state: after.state, open: after.open };
    return { event, request, before, after };
  });
}

test('in every order of events, only a confirmation of an open request, a direct form or the contact itself subscribes', () => {
  fc.assert(
    fc.property(history, (events) => {
      for (const { event, request, before, after } of follow(events)) {
        if (after.state !== 'subscribed' || before.state === 'subscribed') continue;
        const confirms = event === 'confirm' && before.open.includes(request);
        const isDirect = event === 'submit_directly' && (before.state === 'none' || before.state === 'pending');
        assert.ok(confirms || isDirect || event === 'resubscribe', `${event} from ${before.state}`);
      }
    }),
  );
});

test('in every order of events, a submission never takes a subscriber back nor lifts an unsubscription', () => {
  fc.assert(
    fc.property(history, (events) => {
      for (const { event, before, after } of follow(events)) {
        if (event !== 'submit' && event !== 'submit_directly') continue;
        if (before.state === 'subscribed')
          assert.deepEqual([after.state, after.needsConfirmation, after.open], ['subscribed', false, before.open]);
        if (before.state === 'unsubscribed' || before.state === 'returning') assert.equal(after.state, 'returning');
      }
    }),
  );
});

test('in every order of events, a suppressed address gets no confirmation email, and one is sent only while it is awaited', () => {
  fc.assert(
    fc.property(history, (events) => {
      for (const { request, after } of follow(events)) {
        if (!after.needsConfirmation) continue;
        assert.ok(after.state === 'pending' || after.state === 'returning');
        assert.ok(after.open.includes(request));
      }
    }),
  );
});

test('in every order of events, nothing awaits a confirmation without an open request, and none is used twice', () => {
  fc.assert(
    fc.property(history, (events) => {
      for (const { event, request, before, after } of follow(events)) {
        if (after.state === 'pending' || after.state === 'returning') assert.ok(after.open.length > 0, `${event} from ${before.state}`);
        if (event !== 'confirm') continue;
        const again = advance(after, 'confirm', request);
        assert.deepEqual([again.state, again.open, again.needsConfirmation], [after.state, after.open, false]);
      }
    }),
  );
});

test('after a change of email, a deletion or an erasure, no earlier link confirms anything', () => {
  fc.assert(
    fc.property(history, fc.constantFrom('change_email', 'delete', 'erase'), (events, ends) => {
      const before = follow(events).at(-1)?.after ?? start;
      const ended = advance(before, ends);
      for (const request of requests) {
        const confirmed = advance(ended, 'confirm', request);
        assert.equal(confirmed.state, ended.state);
        assert.deepEqual(ended.open, []);
      }
    }),
  );
});

test('a later event of the contact itself holds: after an unsubscription only a new confirmation or resubscription subscribes', () => {
  fc.assert(
    fc.property(history, (events) => {
      let left = false;
      for (const { event, request, before, after } of follow(events)) {
        if (event === 'unsubscribe' && after.state !== 'suppressed') left = true;
        if (['resubscribe', 'delete', 'erase', 'suppress'].includes(event)) left = false;
        if (event === 'confirm' && before.open.includes(request)) left = false;
        if (left) assert.notEqual(after.state, 'subscribed');
      }
    }),
  );
});

test('two forms that wait confirm each for itself, in either order, and the expiry of one leaves the other', () => {
  const both = [...requests].reduce<OptIn>((state, request) => advance(state, 'submit', request), start);
  for (const [first = '', second = ''] of [requests, requests.toReversed()]) {
    const one = advance(both, 'confirm', first);
    assert.deepEqual([one.state, one.open], ['subscribed', [second]]);
    assert.deepEqual(advance(one, 'confirm', second).open, []);
    const expired = advance(both, 'expire', first);
    assert.deepEqual([expired.state, expired.open], ['pending', [second]]);
    assert.equal(advance(expired, 'expire', second).state, 'none');
  }
});

test('what is recorded leads to the state again, so that nothing but consent and open requests has to be kept', () => {
  fc.assert(
    fc.property(history, (events) => {
      let consent: 'subscribed' | 'pending' | 'unsubscribed' | null = null;
      for (const { event, before, after } of follow(events.filter(({ event }) => event !== 'suppress'))) {
        const recorded = recordedAfter(before.state, after.state);
        if (event === 'delete' || event === 'erase') consent = null;
        else if (event === 'unsubscribe') consent = 'unsubscribed';
        else if (recorded !== undefined) consent = recorded;
        assert.equal(optInOf({ consent, open: after.open, isSuppressed: false }).state, after.state, `${event} from ${before.state}`);
      }
    }),
  );
});

test('every state has a step for every event', () => {
  for (const state of optInStates)
    for (const event of optInEvents) assert.ok(optInStates.includes(advance({ state, open: ['a'] }, event, 'a').state));
});

test('a topic follows its channel until it has a consent of its own, and a confirmation of it outlasts an earlier unsubscription', () => {
  const at = (day: number, status: 'subscribed' | 'pending' | 'unsubscribed', method: 'api' | 'form' | 'double_opt_in' = 'api') => ({
    status,
    method,
    at: `2026-11-0${day}T00:00:00.000Z`,
  });
  const inForce = (email: ReturnType<typeof at> | null, news?: ReturnType<typeof at>) =>
    consentInForce({ email, sms: null, ...(news && { topics: { news: { email: news, sms: null } } }) }, 'email', 'news');
  assert.deepEqual([inForce(null), inForce(at(1, 'subscribed')), inForce(at(1, 'unsubscribed'))], [null, 'subscribed', 'unsubscribed']);
  assert.equal(inForce(at(1, 'subscribed'), at(2, 'pending', 'form')), 'pending');
  assert.equal(inForce(null, at(1, 'subscribed', 'double_opt_in')), 'subscribed');
  assert.equal(inForce(at(1, 'pending'), at(1, 'subscribed', 'api')), 'pending');
  assert.equal(inForce(at(1, 'unsubscribed'), at(2, 'subscribed', 'double_opt_in')), 'subscribed');
  assert.equal(inForce(at(1, 'unsubscribed'), at(2, 'subscribed', 'api')), 'unsubscribed');
  assert.equal(inForce(at(3, 'unsubscribed'), at(2, 'subscribed', 'double_opt_in')), 'unsubscribed');
  assert.equal(inForce(at(1, 'unsubscribed'), at(2, 'pending', 'form')), 'unsubscribed');
});
