import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceName, serviceNames } from '@mp/contracts/services';
import { buildDashboard } from '@mp/local-infra/built-pages';
import { acquireInfra } from '@mp/local-infra/infra';
import { oneService } from '@mp/local-infra/service-list';
import { startServices } from '@mp/local-infra/services';
import { onStop } from '@mp/local-infra/stop-signals';
import { readOptions, refuse } from './read-options.ts';

const usage = `npx turbo run dev --filter=@mp/SERVICE
Starts one service (${serviceNames.join(', ')}) with MongoDB and NATS, and restarts it when its code changes.
It listens on its usual port or, if that is in use, on another one, and prints a call to try. Its data is under .data/, and Ctrl-C stops it.`;

const { positionals } = readOptions(usage, {}, { positionals: true });
const parsed = ServiceName.safeParse(positionals[0]);
if (!parsed.success) refuse('Name one service.', usage);
const name = parsed.data;
const root = join(import.meta.dirname, '..');
const logs = join(root, '.data', 'logs');
mkdirSync(logs, { recursive: true });

const [infra] = await Promise.all([acquireInfra({ report: say }), name === 'gateway' ? buildDashboard(root, logs, say) : undefined]).catch(
  fail,
);
const service = await oneService(root, name, infra.env, say).catch(fail);
const running = startServices([service], { logs, watch: true, show: say, gaveUp: (reason) => fail(new Error(reason)) });
let stopping = false;
onStop({
  once: () => {
    stopping = true;
    running
      .stop()
      .then(() => infra.release())
      .then(() => process.exit(0), fail);
  },
  again: () => {
    running.kill();
    process.exit(1);
  },
});
running.untilReady().then(
  () => say(`${name} listens on port ${service.port}. In another terminal, in the folder of the checkout:\n\n  ${firstCall()}\n`),
  (error) => stopping || fail(error),
);

function firstCall(): string {
  if (name === 'gateway')
    return `curl -H "Authorization: Bearer $(npm run -s key -- --name Try --permission read_only)" localhost:${service.port}/v2/me`;
  const path = name === 'leadpulse' ? '/v2/leadpulse/analytics' : `/v2/${name}`;
  return `curl -H "$(npm run -s context -- --path ${path})" localhost:${service.port}${path}`;
}

function say(line: string): void {
  console.log(line);
}

function fail(error: unknown): never {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
