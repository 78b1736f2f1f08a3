import { z } from 'zod';
import { CredentialState } from '../credential-state.ts';
import { defineEvent } from '../event.ts';

export const CredentialRevoked = defineEvent(
  'platform.credential.revoked',
  1,
  'An API key, an access token or a session stopped being valid; gateways forget it at once.',
  z.object({
    key_id: z.string().describe('the key, or the OAuth client or user it belonged to'),
    hash: z.string().describe('SHA-256 of the secret, the name under which gateways cache it'),
  }),
);

export const CredentialChanged = defineEvent(
  'platform.credential.changed',
  1,
  'What a key, an OAuth client or a user may do changed, or ended; gateways read all its credentials anew.',
  z.object({
    credential_id: z.string().describe('the key, OAuth client or user'),
    state: CredentialState.optional().describe('what it may do from now on; missing in events of older versions'),
  }),
);

export const AccountChanged = defineEvent(
  'platform.account.changed',
  1,
  "An account's plan or status changed. Gateways read it again; while it is suspended, services start nothing for it: no mail, no " +
    'step of a workflow, no webhook, no import or export.',
  z.object({
    account_id: z.string(),
    status: z.enum(['active', 'suspended']).optional().describe('absent from events of earlier releases'),
    revision: z.number().int().optional().describe('of the account: the highest is the newest'),
  }),
);
