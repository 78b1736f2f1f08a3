import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import type { AuditLogStore } from './audit-log-store.ts';

const Verification = z
  .object({
    is_intact: z.boolean().describe('Whether no entry has been changed, removed or inserted since it was written.'),
    entries: z.number().int().describe('The entries that were read. Those of version 0.1.0 have no hash and are not part of the chain.'),
    head: z
      .object({ sequence: z.number().int(), hash: z.string().nullable() })
      .describe('The newest entry. Store its hash elsewhere to notice also if the whole log is replaced.'),
    broken: z
      .object({
        sequence: z.number().int().nullable().describe('Null: an entry outside the chain.'),
        problem: z.enum(['changed', 'missing', 'inserted']),
      })
      .nullable()
      .describe('The first entry that is not as it was written.'),
  })
  .meta({ id: 'AuditLogVerification' });

export function verifyAuditLog(app: Server, { auditLog }: { auditLog: Pick<AuditLogStore, 'verify'> }) {
  app.get(
    '/v2/settings/audit-log/verification',
    {
      config: { scope: 'settings:read' },
      schema: {
        operationId: 'verifyAuditLog',
        summary: 'Verify the audit log',
        description:
          'Reads the whole audit log, compares each entry with its hash, which includes the hash of the entry before, and looks for entries ' +
          'that the platform has not written.',
        response: { 200: success(Verification) },
      },
    },
    async ({ principal }) => {
      const { broken, ...found } = await auditLog.verify(principal.accountId);
      return { success: true as const, data: { is_intact: broken === undefined, ...found, broken: broken ?? null } };
    },
  );
}
