import { z } from 'zod';
import { defineEvent } from '../event.ts';

export const CredentialRevoked = defineEvent(
  'platform.credential.revoked',
  1,
  'An API key stopped being valid; gateways forget it at once.',
  z.object({ key_id: z.string(), hash: z.string().describe('SHA-256 of the key, the name under which gateways cache it') }),
);

export const AccountChanged = defineEvent(
  'platform.account.changed',
  1,
  "An account's plan or status changed; gateways read it anew.",
  z.object({ account_id: z.string() }),
);
