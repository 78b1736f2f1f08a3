import { z } from 'zod';
import { AuditAction } from './audit-action.ts';
import type { AuditRow } from './audit-row.ts';

export const AuditEntry = z
  .object({
    id: z.string().describe('The ID of the entry.'),
    action: AuditAction,
    actor_id: z.string().nullable().describe('The key, OAuth client or user that made the change. Null: the command line.'),
    target_id: z.string().describe('The ID of the changed resource.'),
    details: z.record(z.string(), z.unknown()).describe('Details of the change. Never contains secrets.'),
    request_id: z.string().describe('The `X-Request-Id` of the request that made the change.'),
    created_at: z.iso.datetime().describe('When the change was made.'),
    sequence: z.number().int().nullable().describe('Its place in the audit log of the account, from 1; null for entries of version 0.1.0.'),
    hash: z
      .string()
      .nullable()
      .describe('SHA-256, in hex, of the entry and the hash of the one before; null for entries of version 0.1.0.'),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.output<typeof AuditEntry>;

export const entryView = ({ _id, account_id: _, details = {}, created_at, sequence, hash, ...entry }: AuditRow): AuditEntry => ({
  ...{ id: _id, ...entry, details, created_at: created_at.toISOString() },
  ...{ sequence: sequence ?? null, hash: hash ?? null },
});
