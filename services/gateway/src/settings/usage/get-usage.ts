import { success } from '@mp/contracts/envelope';
import { notFound } from '@mp/contracts/errors';
import { Plan } from '@mp/contracts/plan';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import type { DailyQuota } from '../../quotas/daily-quota.ts';
import { dayOf } from '../../quotas/day.ts';
import { limitsOf } from '../../quotas/plans.ts';
import type { AccountsStore } from '../accounts/accounts-store.ts';

const Usage = z
  .object({
    plan: Plan,
    date: z.iso.date().describe('The UTC day.'),
    used: z.number().int().describe('Requests charged today.'),
    limit: z.number().int().nullable().describe('Requests allowed per UTC day. Null: unlimited.'),
    remaining: z.number().int().nullable().describe('Requests left today. Null: unlimited.'),
    reset_at: z.iso.datetime().describe('When the daily quota resets: the next midnight UTC.'),
  })
  .meta({ id: 'Usage' });

type Deps = { accounts: AccountsStore; quota: DailyQuota; now: () => number };

export function getUsage(app: Server, { accounts, quota, now }: Deps) {
  app.get(
    '/v2/settings/usage',
    {
      config: { scope: 'settings:read' },
      schema: {
        operationId: 'getUsage',
        summary: "Get today's usage and the daily quota",
        description: 'This request does not count against the quota.',
        response: { 200: success(Usage) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const account = await accounts.find(accountId);
      if (!account) throw notFound();
      const day = dayOf(now());
      const used = await quota.used(accountId, day.date);
      const { daily } = limitsOf(account);
      return {
        success: true as const,
        data: {
          plan: account.plan,
          date: day.date,
          used,
          limit: daily,
          remaining: daily === null ? null : Math.max(0, daily - used),
          reset_at: new Date(day.resetAt).toISOString(),
        },
      };
    },
  );
}
