import { commonEnv, keyring, port } from '@mp/service-kit/env';
import { z } from 'zod';

export const workflowsEnv = {
  ...commonEnv,
  PORT: port(4005),
  WEBHOOK_KEYS: keyring('Secrets from which the ones that sign webhooks are derived, one per account.'),
  WEBHOOK_ALLOW_PRIVATE: z
    .stringbool()
    .default(false)
    .describe(
      'For tests only: lets webhooks reach private addresses, and with them everything in the internal network. Refused in production.',
    ),
};
