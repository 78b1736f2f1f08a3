import { commonEnv, keyring, port } from '@mp/service-kit/env';
import { z } from 'zod';

export const workflowsEnv = {
  ...commonEnv,
  PORT: port(4005),
  WEBHOOK_KEYS: keyring('Root secrets from which the webhook signing secret of each account is derived.'),
  WEBHOOK_ALLOW_PRIVATE: z
    .stringbool()
    .default(false)
    .describe('For tests only: lets webhooks call private addresses, and so everything in the internal network. Refused in production.'),
};
