import '@mp/service-kit/instrument';
import { readEnv } from '@mp/service-kit/env';
import { runService } from '@mp/service-kit/run-service';
import { createParts } from '@mp/service-kit/service-parts';
import { buildApp } from './app.ts';
import { contactsEnv } from './env.ts';

const env = readEnv(contactsEnv);
const parts = createParts({ name: 'contacts', ...env });
await runService(parts, buildApp(parts, env), env);
