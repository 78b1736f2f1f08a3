import { commonEnv, port } from '@mp/service-kit/env';

export const segmentsEnv = { ...commonEnv, PORT: port(4002) };
