import { page } from '@mp/contracts/envelope';
import { invalid } from '@mp/contracts/errors';
import { Day } from '@mp/contracts/moment';
import { Scope } from '@mp/contracts/permissions';
import type { Server } from '@mp/service-kit/create-server';
import type { Cursors } from '@mp/service-kit/cursor';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import type { DailyUsageStore } from '../../quotas/daily-usage-store.ts';
import type { UsageBreakdownStore } from '../../quotas/usage-breakdown-store.ts';

const RouteClass = z.union([Scope, z.literal('none')]);

const DayOfUsage = z
  .object({
    date: z.iso.date().describe('The UTC day.'),
    requests: z.number().int().describe('Requests charged on this day.'),
    credential_id: z
      .string()
      .nullable()
      .describe('The API key or OAuth client, or the workflow whose inbound URL was requested. Null unless `by=credential`.'),
    route_class: RouteClass.nullable().describe(
      'The scope that the routes require; `none` for routes open to any credential. Null unless `by=route_class`.',
    ),
  })
  .meta({ id: 'DayOfUsage' });

type Deps = { usage: DailyUsageStore; usageBreakdown: UsageBreakdownStore; cursors: Cursors };

export function listUsageHistory(app: Server, { usage, usageBreakdown, cursors }: Deps) {
  app.get(
    '/v2/settings/usage/history',
    {
      config: { scope: 'settings:read' },
      schema: {
        operationId: 'listUsageHistory',
        summary: 'List daily usage, newest first',
        description:
          'Requests by day, and optionally by credential or route class. Kept for 400 days. The daily total is exact. The breakdown for today is up to a second late, and a gateway that crashes loses its last second.',
        querystring: z.strictObject({
          ...listQuery,
          by: z.enum(['day', 'credential', 'route_class']).default('day').describe('How to break the requests of each day down.'),
          credential_id: z.string().min(1).max(60).optional().describe('Only this credential; requires `by=credential`.'),
          route_class: RouteClass.optional().describe('Only this route class; requires `by=route_class`.'),
          'date[gte]': Day.optional().describe('Only this UTC day and later ones.'),
          'date[lte]': Day.optional().describe('Only this UTC day and earlier ones.'),
        }),
        response: { 200: page(DayOfUsage) },
      },
    },
    async (request, reply) => {
      const { limit, cursor, by, credential_id, route_class, 'date[gte]': from, 'date[lte]': to } = request.query;
      const { accountId } = request.principal;
      if (credential_id !== undefined && by !== 'credential') throw onlyWith('credential_id', 'credential');
      if (route_class !== undefined && by !== 'route_class') throw onlyWith('route_class', 'route_class');
      if (by === 'day') {
        const { items, pagination } = await usage.list(accountId, { from, to }, { limit, cursor }, cursors);
        addNextLink(request, reply, pagination);
        const days = items.map(({ date, used }) => ({ date, requests: used, credential_id: null, route_class: null }));
        return { success: true as const, data: { items: days, pagination } };
      }
      const name = by === 'credential' ? credential_id : route_class;
      const { items, pagination } = await usageBreakdown.list(accountId, { of: by, name, from, to }, { limit, cursor }, cursors);
      addNextLink(request, reply, pagination);
      const days = items.map(({ date, requests, name }) => ({
        date,
        requests,
        credential_id: by === 'credential' ? name : null,
        route_class: by === 'route_class' ? RouteClass.parse(name) : null,
      }));
      return { success: true as const, data: { items: days, pagination } };
    },
  );
}

const onlyWith = (member: string, by: string) => invalid(`/query/${member}`, 'unsupported_combination', `${member} requires by=${by}.`);
