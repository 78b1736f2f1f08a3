import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNatsServer } from '@mp/local-infra/find-nats';
import { freePort } from '@mp/local-infra/free-port';
import { type NatsFiles, natsAddress } from '@mp/service-kit/nats-address';
import { connect } from '@nats-io/transport-node';
import { eventually } from './eventually.ts';

type Options = {
  /** Number of servers; more than one form a cluster. */
  count?: number;
  /** Added to the configuration and environment of each server. */
  config?: string;
  env?: Record<string, string>;
  user?: string;
  /** The files with which a client connects. */
  files?: NatsFiles;
};

/** Starts real nats-servers for one test, which it may kill and wipe. */
export async function startNatsServers(
  t: { after: (cleanUp: () => Promise<void>) => void },
  { count = 1, config = '', env = {}, user, files = {} }: Options = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'nats-'));
  const { path } = await findNatsServer(folder, () => undefined);
  let added = config;
  let disk = '';
  const servers: { name: string; port: number; cluster: number; child?: ChildProcess }[] = [];
  for (let index = 0; index < count; index += 1) servers.push({ name: `n${index}`, port: await freePort(), cluster: await freePort() });
  const routes = servers.map(({ cluster }) => `nats-route://127.0.0.1:${cluster}`).join(', ');
  const credentials = user === undefined ? '' : `${user}@`;
  const urlOf = (index: number) => `nats://${credentials}127.0.0.1:${servers[index]?.port}`;

  function serverAt(index: number) {
    const server = servers[index];
    if (!server) throw new Error(`There is no nats-server ${index}; count is ${servers.length}.`);
    return server;
  }

  async function start(index: number) {
    const server = serverAt(index);
    const file = join(folder, `${server.name}.conf`);
    const cluster = count > 1 ? `cluster { name: test, listen: "127.0.0.1:${server.cluster}", routes: [${routes}] }` : '';
    const store = join(folder, server.name);
    await writeFile(
      file,
      `server_name: ${server.name}\nlisten: "127.0.0.1:${server.port}"\njetstream { store_dir: "${store}"${disk} }\n${cluster}\n${added}\n`,
    );
    server.child = spawn(path, ['--config', file], { stdio: 'ignore', env: { ...process.env, ...env } });
  }

  async function kill(index: number, signal: NodeJS.Signals = 'SIGKILL') {
    const { child } = serverAt(index);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  }

  /** Resolves once the server responds; in a cluster, once JetStream has a leader. */
  const ready = (index: number) =>
    eventually(async () => {
      const connection = await connect({ ...natsAddress(urlOf(index), files), reconnect: false, timeout: 2_000 }).catch(() => undefined);
      if (!connection) return false;
      const info = await connection.request('$JS.API.INFO', undefined, { timeout: 2_000 }).catch(() => undefined);
      await connection.close();
      return info !== undefined && !('error' in Object(info.json()));
    });

  t.after(async () => {
    for (const index of servers.keys()) await kill(index);
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  });
  for (const index of servers.keys()) await start(index);
  for (const index of servers.keys()) await ready(index);

  return {
    folder,
    /** The URLs of all servers, so that a client can connect to any running one. */
    url: servers.map((_, index) => urlOf(index)).join(','),
    port: (index = 0) => serverAt(index).port,
    pids: () => servers.flatMap(({ child }) => child?.pid ?? []),
    start,
    /** Replaces the added configuration; takes effect when a server starts. */
    configure(text: string) {
      added = text;
    },
    /** Limits the disk of JetStream, which is then full if it holds more; takes effect when a server starts. */
    limitDisk(bytes?: number) {
      disk = bytes === undefined ? '' : `, max_file_store: ${bytes}`;
    },
    kill,
    /** Sends a signal to the process of a server, such as SIGSTOP. */
    signal: (index: number, signal: NodeJS.Signals) => serverAt(index).child?.kill(signal),
    ready,
    /** Deletes the data of a server, as if it had lost its disk. */
    wipe: (index: number) => rm(join(folder, serverAt(index).name), { recursive: true, force: true, maxRetries: 10 }),
    /** The index of the server with this name, such as a leader in the info of a stream. */
    indexOf: (name: string | undefined) => servers.findIndex((server) => server.name === name),
  };
}
