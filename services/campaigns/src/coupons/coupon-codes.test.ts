import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '@mp/ids';
import { testParts } from '@mp/test-kit/test-parts';
import fc from 'fast-check';
import { type CodeHolder, createCouponCodes } from './coupon-codes.ts';

test('codes of a coupon', async (t) => {
  const { mongo } = await testParts(t, 'campaigns');
  const codes = createCouponCodes(mongo.db);
  await codes.prepare();

  async function couponWith(count: number) {
    const own = { accountId: newId('account'), couponId: newId('coupon') };
    const all = Array.from({ length: count }, (_, index) => `CODE${index}`);
    await mongo.transaction({ correlationId: 'test', causationId: null }, (tx) => codes.add(tx, { ...own, isFree: true }, all));
    return own;
  }

  await t.test('go to one row each, and a row gets one, however many workers ask how often', async () => {
    const workers = fc.array(fc.array(fc.nat(14), { minLength: 1, maxLength: 12 }), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 16 }), workers, async (count, takes) => {
        const own = await couponWith(count);
        const rows = Array.from({ length: 15 }, () => newId('recipient'));
        const given = new Map<CodeHolder, Set<string>>();
        await Promise.all(
          takes.map(async (indexes) => {
            const ids = [...new Set(indexes)].flatMap((index) => rows[index] ?? []);
            for (const [id, code] of await codes.give(own, ids)) given.set(id, (given.get(id) ?? new Set()).add(code));
          }),
        );
        const wanted = new Set(takes.flat()).size;
        assert.equal(given.size, Math.min(count, wanted), 'every code that is needed is handed out');
        assert.ok(
          [...given.values()].every((its) => its.size === 1),
          'one code for each row',
        );
        assert.equal(new Set([...given.values()].flatMap((its) => [...its])).size, given.size, 'no code for two rows');
        assert.equal(await codes.left(own.accountId, own.couponId), count - given.size);
        const again = await codes.give(own, [...given.keys()]);
        assert.deepEqual(new Set(again), new Set([...given].map(([id, its]) => [id, ...its])), 'a retry finds the same codes');
      }),
      { numRuns: 40 },
    );
  });

  await t.test('are not those of another account with the same rows', async () => {
    const own = await couponWith(1);
    const row = newId('recipient');
    assert.equal((await codes.give({ ...own, accountId: newId('account') }, [row])).size, 0);
    assert.equal((await codes.give(own, [row])).get(row), 'CODE0');
  });
});
