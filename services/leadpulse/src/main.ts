import '@mp/service-kit/instrument';
import { readEnv } from '@mp/service-kit/env';
import { runService } from '@mp/service-kit/run-service';
import { createParts } from '@mp/service-kit/service-parts';
import { buildApp } from './app.ts';
import { leadpulseEnv } from './env.ts';

const env = readEnv(leadpulseEnv);
const parts = createParts({ name: 'leadpulse', ...env });
await runService(parts, buildApp(parts, { geoipFile: env.GEOIP_FILE }), env);
