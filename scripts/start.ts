import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildDashboard, buildDocumentation } from '@mp/local-infra/built-pages';
import { acquireInfra, type Infra } from '@mp/local-infra/infra';
import { type PlatformRecord, registerPlatform, runningPlatform, unregisterPlatform } from '@mp/local-infra/platform-record';
import { chooseGatewayPort, listServices } from '@mp/local-infra/service-list';
import { type RunningServices, startServices } from '@mp/local-infra/services';
import { onStop } from '@mp/local-infra/stop-signals';
import { formatSummary } from '@mp/local-infra/summary';
import pc from 'picocolors';
import { readOptions } from './read-options.ts';

const usage = `npm start
npm run dev        the same, and restarts a service when its code changes

Starts the platform: MongoDB and NATS, the gateway with the dashboard, and the five services. Its data is under .data/, and
Ctrl-C stops it. docs/config.md describes the environment variables.`;

const { watch = false } = readOptions(usage, { watch: { type: 'boolean' } }).values;
const began = Date.now();
const root = join(import.meta.dirname, '..');
const dir = join(root, '.data');
const logs = join(dir, 'logs');

let infra: Infra | undefined;
let services: RunningServices | undefined;
let stopping = false;

onStop({
  once: (why) => {
    console.log(`\n${why}: stopping; waiting for the services to finish their work …`);
    stop(0).catch(() => process.exit(1));
  },
  again: () => {
    services?.kill();
    process.exit(1);
  },
});
await start().catch(fail);

async function start(): Promise<void> {
  mkdirSync(logs, { recursive: true });
  refuseSecond(runningPlatform(dir));
  const port = await chooseGatewayPort(say);
  const url = process.env.PUBLIC_URL ?? `http://localhost:${port}`;
  refuseSecond(await registerPlatform(dir, url));
  process.once('exit', () => unregisterPlatform(dir));

  const acquiring = acquireInfra({ dir, report: say });
  [infra] = await Promise.all([acquiring, buildDashboard(root, logs, say)]);
  const list = await listServices(root, infra.env, port, url);
  if (stopping) return;
  say(`starting ${list.map(({ name }) => name).join(', ')}`);
  services = startServices(list, { logs, watch, show: (text) => console.log(text), gaveUp });
  await services.untilReady();
  const text = await formatSummary({ root, logs, url, env: list[0]?.env ?? {}, seconds: seconds() });
  if (stopping) return;
  console.log(text);
  // Nobody waits for it: until it is built, /docs says how to build it.
  await buildDocumentation(root, logs, say);
}

function refuseSecond(other: PlatformRecord | undefined): void {
  if (!other) return;
  console.error(`The platform is already running from this checkout at ${other.url} (pid ${other.pid}). Stop it first: kill ${other.pid}`);
  process.exit(1);
}

function gaveUp(reason: string): void {
  console.error(`${reason} Stopping the platform; the logs are in ${logs}.`);
  stop(1).catch(() => process.exit(1));
}

async function stop(code: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  await services?.stop();
  await infra?.release();
  if (code === 0) console.log('Stopped.');
  process.exit(code);
}

function fail(error: unknown): void {
  // Services that are still starting fail when they are stopped.
  if (stopping) return;
  console.error(error instanceof Error ? error.message : error);
  stop(1).catch(() => process.exit(1));
}

function say(line: string): void {
  console.log(`${pc.dim(`${seconds()} s`.padStart(7))}  ${line}`);
}

function seconds(): string {
  return ((Date.now() - began) / 1000).toFixed(1);
}
