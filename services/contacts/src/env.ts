import { commonEnv, port } from '@mp/service-kit/env';

export const contactsEnv = { ...commonEnv, PORT: port(4001) };
