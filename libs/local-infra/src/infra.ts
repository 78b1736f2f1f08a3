import { spawn } from 'node:child_process';
import { closeSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLog, tailOf } from './files.ts';
import type { Report } from './find.ts';
import { findMongod } from './find-mongod.ts';
import { findNatsServer } from './find-nats.ts';
import { withLock } from './lock.ts';
import { checkMongo, mongodb } from './mongodb.ts';
import { checkNats, nats } from './nats.ts';
import { isAlive, type ProcessMark } from './process-mark.ts';
import { repoRoot } from './repo.ts';
import { keepSecrets } from './secrets.ts';
import { type ServerName, serverNames } from './server.ts';
import { type KeeperState, readState, registerHolder, type Wish, type Wishes } from './state.ts';

export type Infra = { mongoUrl: string; natsUrl: string; env: Record<string, string>; release(): Promise<void> };

// Limits only end a start that hangs: on a busy machine, a process needs long to begin.
const keeperWithinMs = 300_000;
/** Includes further attempts: a server whose port another process has just taken can hang until it is killed. */
const readyWithinMs = 600_000;
const maxFailures = 3;

/**
 * Provides a real MongoDB replica set and NATS with JetStream on this machine, started if they are not running, and the environment
 * that services need to use them. They run until the last process that holds them has released them or ended.
 */
export async function acquireInfra({
  dir = join(repoRoot, '.data'),
  report = () => {},
}: {
  dir?: string;
  report?: Report;
} = {}): Promise<Infra> {
  mkdirSync(dir, { recursive: true });
  const given = { mongodb: process.env.MONGODB_URL, nats: process.env.NATS_URL };
  // In parallel, because each may be a download.
  const [mongod, natsServer] = await Promise.all([
    given.mongodb ? undefined : findMongod(dir, report),
    given.nats ? undefined : findNatsServer(dir, report),
  ]);
  const wishes: Wishes = {
    ...(mongod && { mongodb: wish(mongod, 'INFRA_MONGODB_PORT') }),
    ...(natsServer && { nats: wish(natsServer, 'INFRA_NATS_PORT') }),
  };
  const leave = registerHolder(dir, wishes);
  try {
    const lock = join(dir, 'infra.lock');
    const onWait = () => report('waiting for an earlier run to stop');
    const secrets = await withLock(
      lock,
      async () => {
        if (Object.keys(wishes).length > 0) await ensureKeeper(dir);
        return keepSecrets(dir);
      },
      { onWait, waitMs: 2 * keeperWithinMs },
    );
    const urls = await untilReady(dir, wishes, report);
    if (given.mongodb) await checkMongo(given.mongodb);
    if (given.nats) await checkNats(given.nats);
    const mongoUrl = given.mongodb || urls.mongodb;
    const natsUrl = given.nats || urls.nats;
    const env = { MONGODB_URL: mongoUrl, NATS_URL: natsUrl, ...secrets };
    return { mongoUrl, natsUrl, env: { ...env, ...keptCompiled(dir) }, release: async () => leave() };
  } catch (error) {
    leave();
    throw error;
  }
}

function wish(binary: Wish['binary'], variable: string): Wish {
  const url = process.env[variable];
  if (!url) return { binary };
  const port = Number(url);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`${variable} must be a port from 1 to 65535, not ${url}.`);
  return { binary, port };
}

/** Starts a keeper unless one is running. Call it with the lock held, so that concurrent processes start only one. */
async function ensureKeeper(dir: string): Promise<void> {
  if (runningKeeper(dir)) return;
  const logPath = keeperLog(dir);
  const file = openLog(logPath);
  const args = [join(import.meta.dirname, 'keeper.ts'), dir, process.env.INFRA_LINGER_MS ?? '5000'];
  const keeper = spawn(process.execPath, args, {
    cwd: dir,
    env: { ...keeperEnv(), ...keptCompiled(dir) },
    detached: true,
    stdio: ['ignore', file, file],
  });
  closeSync(file);
  let ended: string | undefined;
  keeper.once('error', (error) => (ended = error.message));
  keeper.once('exit', (code, signal) => (ended = `it ended with ${code ?? signal}`));
  const deadline = Date.now() + keeperWithinMs;
  while (runningKeeper(dir)?.keeper.pid !== keeper.pid) {
    if (ended !== undefined) throw new Error(`The process that runs mongod and nats-server did not start: ${ended}.\n${tailOf(logPath)}`);
    if (Date.now() > deadline)
      throw new Error(`The process that runs mongod and nats-server did not start within ${keeperWithinMs / 1_000} s; see ${logPath}.`);
    await sleep(20);
  }
  keeper.unref();
}

/** Node's compile cache, so that each process does not strip and compile the TypeScript again. */
const keptCompiled = (dir: string) => ({ NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(dir, 'compiled') });

/** Only the variables that the servers need; those of a test runner or debugger would affect the keeper. */
function keeperEnv(): NodeJS.ProcessEnv {
  const names = ['PATH', 'HOME', 'TMPDIR', 'USER', 'LANG', 'TZ'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
}

async function untilReady(dir: string, wishes: Wishes, report: Report): Promise<Record<ServerName, string>> {
  const kinds = { mongodb, nats };
  const urls = { mongodb: '', nats: '' };
  const deadline = Date.now() + readyWithinMs;
  const waiting = new Set(serverNames.filter((name) => wishes[name]));
  const reported = new Set<ServerName>();
  while (waiting.size > 0) {
    const state = runningKeeper(dir);
    if (!state) throw new Error(`The process that runs mongod and nats-server ended unexpectedly.\n${tailOf(keeperLog(dir))}`);
    for (const name of waiting) {
      const record = state.servers[name];
      if (record?.ready && isRunning(record.process)) {
        urls[name] = kinds[name].url(record.port);
        waiting.delete(name);
      } else if ((record?.failures ?? 0) >= maxFailures || Date.now() > deadline) {
        throw new Error(`Cannot start ${kinds[name].program}: ${record?.error ?? `not ready within ${readyWithinMs / 1000} s`}`);
      } else if (!reported.has(name)) {
        reported.add(name);
        report(`starting ${kinds[name].program} ${wishes[name]?.binary.version}`);
      }
    }
    if (waiting.size > 0) await sleep(30);
  }
  return urls;
}

const isRunning = (mark: ProcessMark | undefined) => mark !== undefined && isAlive(mark);

function runningKeeper(dir: string): KeeperState | undefined {
  const state = readState(dir);
  return state && isAlive(state.keeper) ? state : undefined;
}

const keeperLog = (dir: string) => join(dir, 'logs', 'keeper.log');
