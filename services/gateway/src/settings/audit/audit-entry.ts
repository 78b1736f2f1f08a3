import { auditEntry } from '@mp/contracts/audit-entry';
import { z } from 'zod';
import { AuditAction } from './audit-action.ts';
import type { AuditRow } from './audit-row.ts';

export const AuditEntry = z
  .object({
    ...auditEntry,
    action: AuditAction,
    sequence: auditEntry.sequence
      .nullable()
      .describe('Its place in the audit log of the account, from 1; null for entries of version 0.1.0.'),
    hash: auditEntry.hash
      .nullable()
      .describe('SHA-256, in hex, of the entry and the hash of the one before; null for entries of version 0.1.0.'),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.output<typeof AuditEntry>;

export const entryView = ({ _id, account_id: _, details = {}, created_at, sequence, hash, ...entry }: AuditRow): AuditEntry => ({
  ...{ id: _id, ...entry, details, created_at: created_at.toISOString() },
  ...{ sequence: sequence ?? null, hash: hash ?? null },
});
