import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { type ServiceName, serviceNames } from '@mp/contracts/services';
import { freePort } from '@mp/local-infra/free-port';
import { acquireInfra, type Infra } from '@mp/local-infra/infra';
import { signalServer } from '@mp/local-infra/signal-server';
import { eventually } from '@mp/test-kit/eventually';
import { createClient } from './client.ts';
import { type Contract, createContract } from './contract.ts';
import { imagePrefix, killContainer, outputOf, spawnContainer } from './deploy/container.ts';

const root = new URL('../', import.meta.url).pathname;
const run = promisify(execFile);
/** Ends the services when the test or benchmark is killed. */
const endWithUs = ['--import', import.meta.resolve('@mp/local-infra/end-with-platform')];

export type Platform = Awaited<ReturnType<typeof startPlatform>>;

type Launch = { container: string; port: number | undefined; file: string; args?: readonly string[]; from?: string | undefined };

type Options = {
  /** May depend on the addresses of MongoDB and NATS, such as those of proxies in front of them. */
  env?: Record<string, string> | ((infra: Infra) => Promise<Record<string, string>>);
  services?: readonly ServiceName[];
  /** Starts a separate MongoDB and NATS, which the test can kill. */
  ownInfra?: boolean;
  /** Serves the metrics of each service on its own port, read by `metrics`. */
  metrics?: boolean;
  /** The host of the public URL. Passkeys belong to a name, not to an address. */
  publicHost?: string;
  /** Reuses the data of another platform that has stopped. */
  namespace?: string;
  /** Flags of Node for each process, as an image has them. Not for containers. */
  nodeFlags?: readonly string[];
  /** By how much SIGWINCH steps the clock of a process forward, and the next one back. Not for containers. */
  clockStepMs?: number;
};

/**
 * Starts the whole platform as real processes, in a separate namespace of the tests' MongoDB and NATS. Everything is removed
 * at the end of the test or benchmark except the databases, which the next run of the suite drops: dropping one blocks all
 * of MongoDB 4.0 while any transaction is open.
 */
export async function startPlatform(
  t: { after: (cleanUp: () => Promise<void>) => void },
  {
    env = {},
    services = serviceNames,
    ownInfra = false,
    metrics = false,
    publicHost = '127.0.0.1',
    namespace: earlier,
    nodeFlags = [],
    clockStepMs = 0,
  }: Options = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'platform-'));
  const dir = ownInfra ? join(folder, 'infra') : join(root, '.data/test');
  if (ownInfra) for (const name of ['MONGODB_URL', 'NATS_URL']) delete process.env[name];
  const infra = await acquireInfra({ dir });
  const namespace = earlier ?? process.env.PLATFORM_NAMESPACE ?? `test_${process.pid}_${Date.now().toString(36)}`;
  const ports = new Map<ServiceName, number>();
  for (const name of serviceNames) ports.set(name, await freePort());
  const metricsPorts = new Map<ServiceName, number>();
  if (metrics) for (const name of services) metricsPorts.set(name, await freePort());
  const urlOf = (name: ServiceName) => `http://127.0.0.1:${ports.get(name)}`;
  const publicUrl = `http://${publicHost}:${ports.get('gateway')}`;
  const urls = Object.fromEntries(serviceNames.map((name) => [`${name.toUpperCase()}_URL`, urlOf(name)]));
  const own: Record<string, string> = {
    ...infra.env,
    ...urls,
    NAMESPACE: namespace,
    NODE_ENV: 'development',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
    PUBLIC_URL: publicUrl,
    MAILBOX_DIR: join(folder, 'mail'),
    ...(typeof env === 'function' ? await env(infra) : env),
  };
  const shared = { ...process.env, ...own };
  const containerOf = (name: string) => `${namespace || 'platform'}-${process.pid}-${name}`;
  const imageOf = (name: string) => `${imagePrefix}/${name}`;
  const children = new Map<ServiceName, ChildProcess>();
  let over = false;
  let aheadMs = 0;
  /** Services whose clock differs from that of the others. */
  const ownClocks = new Map<ServiceName, number>();

  const replicas: { stop: (signal?: NodeJS.Signals) => Promise<void> }[] = [];

  /** For processes whose clock is ahead, or can be stepped. */
  const clockOf = (name?: ServiceName): Record<string, string> => {
    const ms = (name && ownClocks.get(name)) ?? aheadMs;
    if (ms === 0 && clockStepMs === 0) return {};
    const moved = { CLOCK_AHEAD_MS: String(ms), CLOCK_STEP_MS: String(clockStepMs) };
    return { ...moved, NODE_OPTIONS: `--import ${import.meta.resolve('./moved-clock.ts')}` };
  };

  function launch(name: ServiceName, { container, port, file, args = [], from = root }: Launch) {
    const metricsPort = container === containerOf(name) ? metricsPorts.get(name) : undefined;
    const its = { PORT: String(port), ...(metricsPort && { METRICS_PORT: String(metricsPort) }), ...usersOf(name) };
    const child = imagePrefix
      ? spawnContainer({ name: container, image: imageOf(name), env: { ...own, ...its }, command: [`/app/${file}`, ...args] })
      : spawn(process.execPath, [...nodeFlags, ...endWithUs, join(from, file), ...args], {
          cwd: join(from, 'services', name),
          env: { ...shared, ...clockOf(name), ...its },
          stdio: 'pipe',
        });
    const log = createWriteStream(join(folder, `${name}.log`), { flags: 'a' });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    return child;
  }

  async function untilReady(name: ServiceName, child: ChildProcess, url: string) {
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error('The process exited.');
      return fetch(`${url}/health/ready`).then(
        ({ status }) => status === 200,
        () => false,
      );
    }).catch(async (error: Error) => {
      const log = await readFile(join(folder, `${name}.log`), 'utf8').catch(() => '');
      throw new Error(`${name} did not start: ${error.message}\n${log.slice(-3_000)}`);
    });
  }

  /** Starts another process of a service on a free port and waits until it is ready. `from`: the folder of another version. */
  async function replica(name: ServiceName, { from }: { from?: string } = {}) {
    if (over) throw new Error('The test is over.');
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const container = containerOf(`${name}-${port}`);
    const child = launch(name, { container, port, file: `services/${name}/src/main.ts`, from });
    const stopReplica = (signal: NodeJS.Signals = 'SIGTERM') => end(child, container, signal);
    replicas.push({ stop: stopReplica });
    await untilReady(name, child, url);
    return { url, port, pid: child.pid, stop: stopReplica };
  }

  async function end(child: ChildProcess, container: string, signal: NodeJS.Signals) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    if (imagePrefix && signal === 'SIGKILL') await killContainer(container);
    else child.kill(signal);
    await gone;
  }

  /** Starts a service, or another file in its place, and waits until it is ready. */
  async function start(name: ServiceName, file = `services/${name}/src/main.ts`, args: readonly string[] = []) {
    if (over) throw new Error('The test is over.');
    const child = launch(name, { container: containerOf(name), port: ports.get(name), file, args });
    children.set(name, child);
    await untilReady(name, child, urlOf(name));
    return child;
  }

  /** Resolves when the process has exited. */
  async function stop(name: ServiceName, signal: NodeJS.Signals = 'SIGTERM') {
    const child = children.get(name);
    if (child) await end(child, containerOf(name), signal);
  }

  t.after(async () => {
    over = true;
    await Promise.all([...serviceNames.map((name) => stop(name, 'SIGKILL')), ...replicas.map((one) => one.stop('SIGKILL'))]);
    await infra.release();
    if (process.env.KEEP_LOGS) console.error(`logs: ${folder}`);
    else await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  await Promise.all(services.map((name) => start(name)));

  /** Ends every service and starts it with a clock that is this much further ahead. Not for containers. */
  async function moveClock(ms: number) {
    aheadMs += ms;
    await Promise.all(services.map((name) => stop(name)));
    await Promise.all(services.map((name) => start(name)));
  }

  /** Runs a command of the gateway and returns its output. */
  async function command(file: string, ...args: string[]) {
    if (imagePrefix) {
      const its = { ...own, ...usersOf('gateway') };
      return outputOf({
        name: containerOf(`command-${Date.now()}`),
        image: imageOf('gateway'),
        env: its,
        command: [`src/cli/${file}`, ...args],
      });
    }
    const { stdout } = await run(process.execPath, [join(root, 'services/gateway/src/cli', file), ...args], {
      env: { ...shared, ...clockOf() },
    });
    return stdout.trim();
  }

  /** Runs a command of a service instead of starting it, and returns its output. */
  async function operate(name: ServiceName, args: readonly string[], input = '') {
    const child = spawn(process.execPath, [join(root, `services/${name}/src/main.ts`), ...args], {
      env: { ...shared, ...usersOf(name) },
      stdio: 'pipe',
    });
    child.stdin.end(input);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const [printed, complaints, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    if (code !== 0) throw new Error(`${name} ${args.join(' ')} ended with ${code}: ${printed}${complaints}`);
    return printed;
  }

  let served: Promise<Contract> | undefined;
  function contract(): Promise<Contract> {
    served ??= fetch(`${urlOf('gateway')}/openapi.json`).then(async (response) => createContract(await response.json()));
    return served;
  }

  return {
    /** Sends a signal to a server of the platform's own infrastructure, whose keeper restarts it if it exits. */
    signalServer: (name: 'mongodb' | 'nats', signal: NodeJS.Signals) => signalServer(dir, name, signal),
    url: publicUrl,
    urlOf,
    namespace,
    folder,
    infra,
    start,
    stop,
    replica,
    moveClock,
    /** Ends a service and starts it with a clock that is this much ahead of the machine's. */
    async setClock(name: ServiceName, ms: number) {
      ownClocks.set(name, ms);
      await stop(name, 'SIGKILL');
      await start(name);
    },
    /** Sends a signal to the process of a service, such as SIGSTOP. */
    signal: (name: ServiceName, signal: NodeJS.Signals) => children.get(name)?.kill(signal),
    /** The time by the clock of the services. */
    now: () => new Date(Date.now() + aheadMs),
    command,
    operate,
    /** The metrics of a service, with the option `metrics`. */
    metrics: async (name: ServiceName) => (await fetch(`http://127.0.0.1:${metricsPorts.get(name)}/metrics`)).text(),
    metricsAddress: (name: ServiceName) => `127.0.0.1:${metricsPorts.get(name)}`,
    log: (name: ServiceName) => readFile(join(folder, `${name}.log`), 'utf8'),
    /** A client with a new key that checks every response against the OpenAPI document of the gateway. */
    async client(...args: string[]) {
      // A new account requires a plan.
      const plan = args.includes('--account') && !args.includes('--plan') ? ['--plan', 'enterprise'] : [];
      return createClient(urlOf('gateway'), await command('key.ts', '--name', 'test', ...args, ...plan), await contract());
    },
    contract,
    /** The process of each service. */
    processes: () => [...children].flatMap(([name, { pid }]) => (pid === undefined ? [] : [[name, pid] as const])),
  };
}

/** For separate users per service: `CONTACTS_MONGODB_URL`, `CONTACTS_NATS_URL` … */
function usersOf(name: ServiceName): Record<string, string> {
  const users: Record<string, string> = {};
  for (const variable of ['MONGODB_URL', 'NATS_URL']) {
    const url = process.env[`${name.toUpperCase()}_${variable}`];
    if (url !== undefined) users[variable] = url;
  }
  return users;
}
