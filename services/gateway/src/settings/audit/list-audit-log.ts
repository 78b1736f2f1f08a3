import { page } from '@mp/contracts/envelope';
import { invalid } from '@mp/contracts/errors';
import { Moment } from '@mp/contracts/moment';
import type { Server } from '@mp/service-kit/create-server';
import type { Cursors } from '@mp/service-kit/cursor';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { AuditAction, AuditEntry } from './audit-entry.ts';
import type { AuditLogStore } from './audit-log-store.ts';

const equalities = ['actor_id', 'action', 'target_id'] as const;
const instant = Moment.optional();

type Deps = { auditLog: AuditLogStore; cursors: Cursors };

export function listAuditLog(app: Server, { auditLog, cursors }: Deps) {
  app.get(
    '/v2/settings/audit-log',
    {
      config: { scope: 'settings:read' },
      schema: {
        operationId: 'listAuditLog',
        summary: 'List the audit log, newest first',
        description: 'Every change to the settings. Filter by at most one of `actor_id`, `action` and `target_id`, and by `created_at`.',
        querystring: z.strictObject({
          ...listQuery,
          actor_id: z.string().min(1).max(60).optional().describe('Only changes by this key, OAuth client or user.'),
          action: AuditAction.optional(),
          target_id: z.string().min(1).max(60).optional().describe('Only changes to this resource.'),
          'created_at[gte]': instant,
          'created_at[lt]': instant,
        }),
        response: { 200: page(AuditEntry) },
      },
    },
    async (request, reply) => {
      const { limit, cursor, actor_id, action, target_id, 'created_at[gte]': from, 'created_at[lt]': to } = request.query;
      const named = equalities.filter((member) => request.query[member] !== undefined);
      if (named.length > 1) {
        throw invalid(`/query/${named[1]}`, 'unsupported_combination', `Filter by one of ${equalities.join(', ')} at a time.`);
      }
      const filter = { actor_id, action, target_id, from: from ? new Date(from) : undefined, to: to ? new Date(to) : undefined };
      const { items, pagination } = await auditLog.list(request.principal.accountId, filter, { limit, cursor }, cursors);
      addNextLink(request, reply, pagination);
      const shown = items.map(({ _id, account_id: _, details = {}, created_at, ...entry }) => ({
        id: _id,
        ...entry,
        details,
        created_at: created_at.toISOString(),
      }));
      return { success: true as const, data: { items: shown, pagination } };
    },
  );
}
