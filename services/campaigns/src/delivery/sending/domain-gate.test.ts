import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@mp/test-kit/eventually';
import fc from 'fast-check';
import { createDomainGate, type Visit } from './domain-gate.ts';
import type { Delivery } from './smtp-outcome.ts';

const accepted: Delivery = { kind: 'accepted', response: '250 OK' };
const deferred = (response: string): Delivery => ({ kind: 'deferred', response });
const closing: Delivery = { kind: 'deferred', response: '421 too many', isClosing: true };
const config = { connections: 10, rest: { firstMs: 40, maxMs: 160 }, slowMs: 20 };

const enter = async (gate: ReturnType<typeof createDomainGate>, key = 'a', isUrgent = false): Promise<Visit> => {
  const visit = await gate.enter(key, isUrgent);
  assert.ok(!(visit instanceof Date), 'it may be tried');
  return visit;
};

test('a domain begins with a fifth of the connections, gets more with each response, and never all of them', async () => {
  const gate = createDomainGate(config);
  const first = [await enter(gate), await enter(gate)];
  let admitted = 0;
  for (let waiting = 0; waiting < 20; waiting += 1)
    void gate.enter('a', false).then(() => {
      admitted += 1;
    });
  await enter(gate, 'b');
  await new Promise(setImmediate);
  assert.equal(admitted, 0);
  for (const visit of first) visit.leave(accepted);
  await eventually(async () => admitted === 4);
  const others = createDomainGate(config);
  const many = [await enter(others), await enter(others)];
  for (let round = 0; round < 20; round += 1) {
    many.shift()?.leave(accepted);
    many.push(await enter(others));
  }
  while (many.length < 8) many.push(await enter(others));
  let ninth = false;
  void others.enter('a', false).then(() => {
    ninth = true;
  });
  await new Promise(setImmediate);
  assert.equal(ninth, false, 'two connections are left for other domains');
});

test('a domain that closes connections, or rejects emails for reasons of its own, rests longer each time, and is then tried with one email', async () => {
  let now = 1_000_000;
  const gate = createDomainGate({ ...config, now: () => now });
  const rests: number[] = [];
  for (const response of [closing, deferred('451 4.7.1 rate limited'), deferred('452 4.3.1 no space'), closing]) {
    const until = (await enter(gate)).leave(response);
    assert.deepEqual(await gate.enter('a', false), until, 'others wait, too');
    assert.deepEqual(gate.closedUntil('a'), until);
    assert.equal(gate.closedUntil('b'), undefined, 'other domains do not');
    // A message is tried all the same.
    (await enter(gate, 'a', true)).leave(undefined);
    rests.push((until?.getTime() ?? 0) - now);
    now = until?.getTime() ?? 0;
    assert.equal(gate.closedUntil('a'), undefined);
  }
  assert.deepEqual(rests, [40, 80, 160, 160]);
  const probe = await enter(gate);
  let second: Visit | Date | undefined;
  void gate.enter('a', false).then((visit) => {
    second = visit;
  });
  await new Promise(setImmediate);
  assert.equal(second, undefined, 'one at a time');
  probe.leave(accepted);
  await eventually(async () => second !== undefined);
});

test('rejections of single emails do not make a domain rest; several retries in a row without a reason do', async () => {
  const gate = createDomainGate(config);
  for (const response of ['452 4.2.2 mailbox full', '451 4.7.1 Please try again later', '451 4.7.1 Greylisting in action'])
    for (let times = 0; times < 10; times += 1) assert.equal((await enter(gate)).leave(deferred(response), true), undefined);
  for (let first = 0; first < 10; first += 1) assert.equal((await enter(gate)).leave(deferred('450 try again')), undefined);
  assert.equal((await enter(gate)).leave(deferred('450 try again'), true), undefined);
  assert.equal((await enter(gate)).leave(accepted), undefined);
  const untils = [];
  for (let times = 0; times < 3; times += 1) untils.push((await enter(gate)).leave(deferred('450 try again'), true));
  assert.deepEqual(
    untils.map((until) => until !== undefined),
    [false, false, true],
  );
});

test('after a rest, a domain that greylists gets more connections with each response', async () => {
  let now = 1_000_000;
  const gate = createDomainGate({ ...config, now: () => now });
  const until = (await enter(gate)).leave(closing);
  now = until?.getTime() ?? 0;
  (await enter(gate)).leave(deferred('451 4.7.1 Greylisted'));
  const visits = [await enter(gate), await enter(gate)];
  for (const visit of visits) visit.leave(accepted);
  const again = (await enter(gate)).leave(closing);
  assert.equal((again?.getTime() ?? 0) - now, 40, 'an accepted email ends the doubling of rests');
});

test('while a domain is slow, only a few emails wait for it in memory; the others are tried later', async () => {
  const gate = createDomainGate(config);
  const visits = [await enter(gate), await enter(gate)];
  const began = Date.now();
  const later: (Visit | Date)[] = [];
  for (let waiting = 0; waiting < 20; waiting += 1) void gate.enter('a', false).then((visit) => later.push(visit));
  for (const visit of visits) visit.begun();
  await eventually(async () => later.length === 18);
  assert.ok(later.every((visit) => visit instanceof Date && visit.getTime() > began));
  assert.ok(gate.closedUntil('a'));
  for (const visit of visits) visit.leave(accepted);
  await eventually(async () => later.length === 20);
  assert.equal(gate.closedUntil('a'), undefined);
});

test('whatever the responses, no more emails than connections are admitted, and every email is admitted or postponed', async () => {
  const outcome = fc.constantFrom(accepted, closing, deferred('450 try again'), deferred('451 4.7.1 greylisted'), undefined);
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 12 }),
      fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.boolean(), outcome)),
      async (connections, emails) => {
        const gate = createDomainGate({ connections, rest: { firstMs: 1, maxMs: 2 }, slowMs: 1 });
        const inside = new Map<string, number>();
        await Promise.all(
          emails.map(async ([key, isUrgent, delivery]) => {
            const visit = await gate.enter(key, isUrgent);
            if (visit instanceof Date) return;
            inside.set(key, (inside.get(key) ?? 0) + 1);
            assert.ok((inside.get(key) ?? 0) <= (connections < 3 ? connections : connections - 1));
            visit.begun();
            await new Promise(setImmediate);
            inside.set(key, (inside.get(key) ?? 0) - 1);
            visit.leave(delivery, isUrgent);
          }),
        );
      },
    ),
  );
});
