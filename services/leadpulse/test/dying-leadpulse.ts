import { readEnv } from '@mp/service-kit/env';
import { runService } from '@mp/service-kit/run-service';
import { createParts } from '@mp/service-kit/service-parts';
import { ClientSession, Collection } from 'mongodb';
import { buildApp } from '../src/app.ts';
import { leadpulseEnv } from '../src/env.ts';

/**
 * Runs the service and kills it with SIGKILL at one point: before or after the nth insert, bulk write or commit. The
 * service itself is not changed.
 */
const [step = '', nth = '1', moment = 'before'] = process.argv.slice(2);
let calls = 0;

function dieAt<Arguments extends unknown[], Result>(target: object, original: (...given: Arguments) => Promise<Result>, name: string) {
  Object.assign(target, {
    async [name](...given: Arguments): Promise<Result> {
      const isLast = name === step && ++calls === Number(nth);
      if (isLast && moment === 'before') process.kill(process.pid, 'SIGKILL');
      const result = await original.apply(this, given);
      if (isLast) process.kill(process.pid, 'SIGKILL');
      return result;
    },
  });
}

const { insertMany, bulkWrite } = Collection.prototype;
const { commitTransaction } = ClientSession.prototype;

const env = readEnv(leadpulseEnv);
const parts = createParts({ name: 'leadpulse', ...env });
const service = buildApp(parts);
service.app.addHook('onListen', async () => {
  dieAt(Collection.prototype, insertMany, 'insertMany');
  dieAt(Collection.prototype, bulkWrite, 'bulkWrite');
  dieAt(ClientSession.prototype, commitTransaction, 'commitTransaction');
});
await runService(parts, service, env);
