import '@mp/service-kit/instrument';
import { setFlagsFromString } from 'node:v8';
import { readEnv } from '@mp/service-kit/env';
import { runService } from '@mp/service-kit/run-service';
import { createParts } from '@mp/service-kit/service-parts';
import { buildApp } from './app.ts';
import { campaignsEnv, requireMailServer } from './env.ts';

// The image lets the heap double between full collections. Buffers of images outside the heap are freed by these collections only, and
// would add to more than the container has.
setFlagsFromString('--heap-growing-percent=0');

const env = requireMailServer(readEnv(campaignsEnv));
const parts = createParts({ name: 'campaigns', ...env });
await runService(parts, buildApp(parts, env), env);
