import { commonEnv, port } from '@mp/service-kit/env';

export const workflowsEnv = { ...commonEnv, PORT: port(4005) };
