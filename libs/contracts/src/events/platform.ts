import { z } from 'zod';
import { accountId } from '../account-id.ts';
import { CredentialState } from '../credential-state.ts';
import { defineEvent } from '../event.ts';
import { Permission, Scope } from '../permissions.ts';

export const CredentialRevoked = defineEvent(
  'platform.credential.revoked',
  1,
  'An API key, an access token or a session was revoked; gateways drop it from their caches immediately.',
  z.object({
    key_id: z.string().describe('ID of the key, or of the OAuth client or user that the token or session belonged to.'),
    hash: z.string().describe('SHA-256 of the secret, under which gateways cache it.'),
  }),
);

export const CredentialChanged = defineEvent(
  'platform.credential.changed',
  1,
  'The access of a key, an OAuth client or a user changed or ended; gateways reload all its credentials.',
  z.object({
    credential_id: z.string().describe('ID of the key, OAuth client or user.'),
    state: CredentialState.optional().describe('Its access from now on; absent from events of earlier releases.'),
  }),
);

const apiKey = z.object({
  api_key_id: z.string(),
  name: z.string(),
  permission: Permission,
  scopes: z.array(Scope).nullable().describe('null: not restricted to scopes.'),
  at: z.iso.datetime(),
});

export const ApiKeyCreated = defineEvent('platform.api_key.created', 1, 'An API key was created.', apiKey);

export const ApiKeyRevoked = defineEvent('platform.api_key.revoked', 1, 'An API key was revoked.', apiKey);

export const AccountChanged = defineEvent(
  'platform.account.changed',
  1,
  "An account's plan or status changed. Gateways reload it. While it is suspended, services start nothing for it: no email, " +
    'workflow step, webhook, import or export.',
  z.object({
    account_id: accountId,
    status: z.enum(['active', 'suspended']).optional().describe('Absent from events of earlier releases.'),
    revision: z.number().int().optional().describe('Revision of the account; the highest is the newest.'),
  }),
);

export const NotifyEffectCompleted = defineEvent(
  'platform.notify_effect.completed',
  1,
  'The email to a user that a workflow requested was handed to the mail server, or refused.',
  z.object({ effect_key: z.string(), run_id: z.string(), status: z.enum(['done', 'refused']), reason: z.string().nullable() }),
);

export const AccountErased = defineEvent(
  'platform.account.erased',
  1,
  'An account was deleted and its grace period is over: every service erases everything it stores about the account, and confirms it ' +
    'with `<service>.account.erased`. Published again to services that have not confirmed.',
  z.object({ account_id: accountId }),
);
