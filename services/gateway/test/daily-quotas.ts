import type { TestContext } from 'node:test';
import { testParts } from '@mp/test-kit/test-parts';
import { createDailyQuota } from '../src/quotas/daily-quota.ts';
import { createDailyUsageStore } from '../src/quotas/daily-usage-store.ts';

/** A day of the tests. */
export const day = '2026-03-01';

export const fail = (error: unknown): void => {
  throw error;
};

export const admitted = (responses: readonly (number | undefined)[]) => responses.filter((used) => used !== undefined);

/** Daily quotas of several gateways over one database. */
export async function startDailyQuotas(t: TestContext) {
  const { mongo } = await testParts(t, 'quota');
  const usage = createDailyUsageStore(mongo.db);
  await usage.prepare();
  const gateways: ReturnType<typeof createDailyQuota>[] = [];
  t.after(() => Promise.all(gateways.map((gateway) => gateway.stop())));

  /** A separate gateway; `broken` overrides operations of its database. */
  function gateway(broken: Partial<typeof usage> = {}, onError = fail, now = () => performance.now()) {
    const { take, giveBack, add, used } = Object.assign(createDailyUsageStore(mongo.db), broken);
    const made = createDailyQuota({ usage: { take, giveBack, add, used }, onError, now });
    gateways.push(made);
    return made;
  }

  return { usage, gateway };
}
