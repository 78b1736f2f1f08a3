import { z } from 'zod';
import { auditEntry } from '../audit-entry.ts';
import { CredentialState } from '../credential-state.ts';
import { defineEvent } from '../event.ts';
import { accountId, runId } from '../ids.ts';
import { Permission, Scope } from '../permissions.ts';

export const CredentialRevoked = defineEvent({
  type: 'platform.credential.revoked',
  version: 1,
  meaning: 'An API key, an access token or a session was revoked; gateways drop it from their caches immediately.',
  data: z.object({
    key_id: z
      .string()
      .describe('ID of the key, of the OAuth client or user that the token or session belonged to, or of the grant of a refresh token.'),
    hash: z.string().describe('SHA-256 of the secret, under which gateways cache it.'),
  }),
});

export const CredentialChanged = defineEvent({
  type: 'platform.credential.changed',
  version: 1,
  meaning: 'The access of a key, an OAuth client or a user changed or ended; gateways reload all its credentials.',
  data: z.object({
    credential_id: z.string().describe('ID of the key, OAuth client or user.'),
    state: CredentialState.optional().describe('Its access from now on; absent from events of earlier releases.'),
  }),
});

const apiKey = z.object({
  api_key_id: z.string(),
  name: z.string(),
  permission: Permission,
  scopes: z.array(Scope).nullable().describe('null: not restricted to scopes.'),
  at: z.iso.datetime(),
});

export const ApiKeyCreated = defineEvent({
  type: 'platform.api_key.created',
  version: 1,
  meaning: 'An API key was created.',
  data: apiKey,
});

export const ApiKeyRevoked = defineEvent({
  type: 'platform.api_key.revoked',
  version: 1,
  meaning: 'An API key was revoked.',
  data: apiKey,
});

export const AuditEntryCreated = defineEvent({
  type: 'platform.audit_entry.created',
  version: 1,
  meaning: 'An entry was added to the audit log of an account.',
  data: z.object(auditEntry),
});

export const AccountChanged = defineEvent({
  type: 'platform.account.changed',
  version: 1,
  meaning:
    "An account's plan or status changed. Gateways reload it. While it is suspended, services start nothing for it: no email, " +
    'workflow step, webhook, import or export.',
  data: z.object({
    account_id: accountId,
    status: z.enum(['active', 'suspended']).optional().describe('Absent from events of earlier releases.'),
    revision: z.number().int().optional().describe('Revision of the account; the highest is the newest.'),
  }),
});

export const NotifyEffectCompleted = defineEvent({
  type: 'platform.notify_effect.completed',
  version: 1,
  meaning: 'The email to a user that a workflow requested was handed to the mail server, or refused.',
  data: z.object({ effect_key: z.string(), run_id: runId, status: z.enum(['done', 'refused']), reason: z.string().nullable() }),
});

export const AccountErased = defineEvent({
  type: 'platform.account.erased',
  version: 1,
  meaning:
    'An account was deleted and its grace period is over: every service erases everything it stores about the account, and confirms it ' +
    'with `<service>.account.erased`. Published again to services that have not confirmed.',
  data: z.object({ account_id: accountId }),
});
