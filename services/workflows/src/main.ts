import '@mp/service-kit/instrument';
import { readEnv } from '@mp/service-kit/env';
import { runService } from '@mp/service-kit/run-service';
import { createParts } from '@mp/service-kit/service-parts';
import { buildApp } from './app.ts';
import { workflowsEnv } from './env.ts';

const env = readEnv(workflowsEnv);
const parts = createParts({ name: 'workflows', ...env });
await runService(parts, buildApp(parts, env), env);
