import { commonEnv, keyring, port } from '@mp/service-kit/env';
import { z } from 'zod';

export const workflowsEnv = {
  ...commonEnv,
  PORT: port(4005),
  WEBHOOK_KEYS: keyring(
    'Root secrets from which the signing secret of workflow webhooks is derived, and which encrypt the secrets of other webhooks.',
  ),
  WEBHOOK_ALLOW_PRIVATE: z
    .stringbool()
    .default(false)
    .describe(
      'For development and tests only: lets webhooks call private addresses, and so everything in the internal network, and use http://. ' +
        'Refused in production.',
    ),
};
