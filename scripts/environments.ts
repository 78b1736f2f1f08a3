import type { ServiceName } from '@mp/contracts/services';
import type { z } from 'zod';
import { campaignsEnv } from '../services/campaigns/src/env.ts';
import { contactsEnv } from '../services/contacts/src/env.ts';
import { gatewayEnv } from '../services/gateway/src/env.ts';
import { leadpulseEnv } from '../services/leadpulse/src/env.ts';
import { segmentsEnv } from '../services/segments/src/env.ts';
import { workflowsEnv } from '../services/workflows/src/env.ts';

/** The variables that each service reads. */
export const environments: Record<ServiceName, Record<string, z.ZodType>> = {
  gateway: gatewayEnv,
  contacts: contactsEnv,
  segments: segmentsEnv,
  campaigns: campaignsEnv,
  leadpulse: leadpulseEnv,
  workflows: workflowsEnv,
};
