import { z } from 'zod';
import type { AuditRow } from './audit-log-store.ts';

/** Every kind of change in the audit log. */
export const AuditAction = z
  .enum([
    'account.created',
    'account.changed',
    'leadpulse_settings.changed',
    'api_key.created',
    'api_key.changed',
    'api_key.rotated',
    'api_key.revoked',
    'oauth_client.created',
    'oauth_client.changed',
    'oauth_client.rotated',
    'oauth_client.revoked',
    'user.invited',
    'user.changed',
    'user.removed',
    'user.signed_in',
    'user.signed_out',
    'user.sessions_ended',
    'user.password_changed',
    'user.email_changed',
    'user.link_made',
  ])
  .meta({ id: 'AuditAction' });
export type AuditAction = z.infer<typeof AuditAction>;

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
