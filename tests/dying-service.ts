import { commonEnv, port, readEnv } from '@mp/service-kit/env';
import { runService } from '@mp/service-kit/run-service';
import { createParts } from '@mp/service-kit/service-parts';
import { Collection } from 'mongodb';

/**
 * Runs a service that kills itself with SIGKILL right after its n-th
 * - `commit` with an event: the event is stored but not yet published, and the message it came from is not yet
 *   acknowledged;
 * - `removal` of many rows outside a transaction, as in background clean-up;
 * - `batch` of rows that it removes in a transaction, before the commit;
 * - `stream` that it has read completely and removed messages from.
 */
const [name = '', nth = '1', after = 'commit'] = process.argv.slice(2);
const { buildApp } = await import(`../services/${name}/src/app.ts`);
const service = await import(`../services/${name}/src/env.ts`);
const env = { ...readEnv(service[`${name}Env`]), ...readEnv({ ...commonEnv, PORT: port(0) }) };
const parts = createParts({ name, ...env });
let times = 0;
function survive() {
  times += 1;
  if (times === Number(nth)) process.kill(process.pid, 'SIGKILL');
}

if (after === 'commit') parts.outbox.onAdded(survive);
if (after === 'removal' || after === 'batch') {
  const { deleteMany } = Collection.prototype;
  Collection.prototype.deleteMany = async function (filter, options) {
    const removed = await deleteMany.call(this, filter, options);
    if ((options?.session === undefined) === (after === 'removal')) survive();
    return removed;
  };
}
if (after === 'stream') {
  const { eraseFrom } = parts.broker;
  parts.broker.eraseFrom = async (...args) => {
    const removed = await eraseFrom(...args);
    survive();
    return removed;
  };
}
await runService(parts, buildApp(parts, env), env);
