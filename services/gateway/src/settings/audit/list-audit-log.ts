import { page } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import type { Cursors } from '@mp/service-kit/cursor';
import { addNextLink, listQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { AuditEntry, entryView } from './audit-entry.ts';
import { auditFilter, filterFrom } from './audit-filter.ts';
import type { AuditLogStore } from './audit-log-store.ts';

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
        querystring: z.strictObject({ ...listQuery, ...auditFilter }),
        response: { 200: page(AuditEntry) },
      },
    },
    async (request, reply) => {
      const { limit, cursor, ...named } = request.query;
      const filter = filterFrom(named);
      const { items, pagination } = await auditLog.list(request.principal.accountId, filter, { limit, cursor }, cursors);
      addNextLink(request, reply, pagination);
      return { success: true as const, data: { items: items.map(entryView), pagination } };
    },
  );
}
