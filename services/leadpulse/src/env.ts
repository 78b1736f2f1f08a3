import { commonEnv, port } from '@mp/service-kit/env';

export const leadpulseEnv = { ...commonEnv, PORT: port(4004) };
