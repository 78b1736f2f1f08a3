import { commonEnv, port, readEnv } from '@mp/service-kit/env';
import { createParts } from '@mp/service-kit/parts';
import { runService } from '@mp/service-kit/run-service';

/**
 * Runs a service that kills itself with SIGKILL right after its n-th commit with an event in it: the event is written
 * and not yet published, and what it was received from is not yet acknowledged.
 */
const [name = '', nth = '1'] = process.argv.slice(2);
const { buildApp } = await import(`../services/${name}/src/app.ts`);
const service = await import(`../services/${name}/src/env.ts`);
const env = { ...readEnv(service[`${name}Env`]), ...readEnv({ ...commonEnv, PORT: port(0) }) };
const parts = createParts({ name, ...env });
let commits = 0;
parts.outbox.onAdded(() => {
  commits += 1;
  if (commits === Number(nth)) process.kill(process.pid, 'SIGKILL');
});
await runService(parts, buildApp(parts, env), env);
