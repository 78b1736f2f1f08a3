import { z } from 'zod';

/** An entry of the audit log, as it is exported and published. It never contains secrets. */
export const auditEntry = {
  id: z.string().describe('The ID of the entry.'),
  action: z.string().describe('What was done, such as `user.changed`. Later releases have more actions.'),
  actor_id: z.string().nullable().describe('The key, OAuth client or user that made the change. Null: the command line.'),
  target_id: z.string().describe('The ID of the changed resource.'),
  details: z.record(z.string(), z.unknown()).describe('Details of the change. Never contains secrets.'),
  request_id: z.string().describe('The `X-Request-Id` of the request that made the change.'),
  created_at: z.iso.datetime().describe('When the change was made.'),
  sequence: z.number().int().describe('Its place in the audit log of the account, from 1.'),
  hash: z.string().describe('SHA-256, in hex, of the entry and the hash of the one before.'),
};

/** The actions of the audit log that the contacts service publishes. */
export const auditedContactActions = [
  'contact.deleted',
  'contact.restored',
  'contact.erased',
  'contact_export.created',
  'contact_export.downloaded',
  'bulk_deletion.created',
  'bulk_deletion.ended',
] as const;
