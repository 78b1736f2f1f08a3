import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AccountId, newId } from '@mp/ids';
import { createBurstLimit } from './burst-limit.ts';

const own = newId('account');
const limits = { daily: null, perSecond: 50, depth: 100, concurrency: 10 };

function setUp() {
  const clock = { now: 1_000_000 };
  return { clock, burst: createBurstLimit(() => clock.now) };
}

/** How many of `count` requests that end immediately are admitted. */
function admitted(burst: ReturnType<typeof createBurstLimit>, accountId: AccountId, count: number) {
  let total = 0;
  for (let index = 0; index < count; index += 1) {
    const admission = burst.enter(accountId, limits);
    if (!admission.admitted) continue;
    total += 1;
    admission.leave();
  }
  return total;
}

test('an idle account may use the full burst at once, then its rate', () => {
  const { clock, burst } = setUp();
  assert.equal(admitted(burst, own, 500), 100);
  clock.now += 1_000;
  assert.equal(admitted(burst, own, 500), 50);
  clock.now += 60_000;
  assert.equal(admitted(burst, own, 500), 100);
});

test("one account's burst does not affect another's", () => {
  const { burst } = setUp();
  admitted(burst, own, 500);
  assert.equal(admitted(burst, newId('account'), 500), 100);
});

test('limits concurrent requests; one that ends frees a slot', () => {
  const { burst } = setUp();
  const running = Array.from({ length: 10 }, () => burst.enter(own, limits));
  const refused = burst.enter(own, limits);
  assert.equal(refused.admitted, false);
  const [first] = running;
  if (first?.admitted) first.leave();
  assert.equal(burst.enter(own, limits).admitted, true);
});

test('setting the clock back neither adds nor removes tokens', () => {
  const { clock, burst } = setUp();
  admitted(burst, own, 500);
  clock.now -= 3_600_000;
  assert.equal(admitted(burst, own, 500), 0);
  clock.now += 1_000;
  assert.equal(admitted(burst, own, 500), 50);
});

test('reports the requests left this second', () => {
  const { burst } = setUp();
  assert.equal(burst.enter(own, limits).remaining, 50);
  admitted(burst, own, 500);
  assert.equal(burst.enter(own, limits).remaining, 0);
});
