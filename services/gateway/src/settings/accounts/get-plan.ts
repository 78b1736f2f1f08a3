import { success } from '@mp/contracts/envelope';
import { notFound } from '@mp/contracts/errors';
import { Plan } from '@mp/contracts/plan';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import { limitsOf } from '../../quotas/plans.ts';
import type { AccountsStore } from './accounts-store.ts';

const PlanLimits = z
  .object({
    plan: Plan,
    daily_requests: z.number().int().nullable().describe('Requests per UTC day. Null: unlimited.'),
    requests_per_second: z.number().int().describe('Sustained requests per second.'),
    burst: z.number().int().describe('Requests that an idle account can make at once.'),
    concurrent_requests: z.number().int().describe('Requests that may run at the same time.'),
  })
  .meta({ id: 'PlanLimits' });

type Deps = { accounts: AccountsStore };

export function getPlan(app: Server, { accounts }: Deps) {
  app.get(
    '/v2/settings/plan',
    {
      config: { scope: 'settings:read' },
      schema: {
        operationId: 'getPlan',
        summary: 'Get the plan and its limits',
        description:
          'The operator of the platform changes plans. A new plan takes effect immediately and keeps the request count of the day.',
        response: { 200: success(PlanLimits) },
      },
    },
    async (request) => {
      const account = await accounts.find(request.principal.accountId);
      if (!account) throw notFound();
      const { daily, perSecond, depth, concurrency } = limitsOf(account);
      return {
        success: true as const,
        data: { plan: account.plan, daily_requests: daily, requests_per_second: perSecond, burst: depth, concurrent_requests: concurrency },
      };
    },
  );
}
