import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import getPort, { clearLockedPorts, portNumbers } from 'get-port';
import { openLog, tailOf } from './files.ts';
import { endProcess, isAlive, markOf } from './process-mark.ts';
import type { ServerKind } from './server.ts';
import type { ServerRecord, Wish } from './state.ts';

/** Ends a start that hangs, such as on a port that another process has just taken; a busy machine needs long. */
const readyWithinMs = 120_000;
const steadyAfterMs = 60_000;
const pauseMs = (failures: number) => Math.min(500 * 2 ** (failures - 1), 30_000);

type Surroundings = { dir: string; before?: ServerRecord | undefined; changed: () => void; log: (line: string) => void };

/** Starts a server when it is needed, restarts it when it ends unexpectedly, and stops it. */
export function createKeptServer(kind: ServerKind, { dir, before, changed, log }: Surroundings) {
  const folder = join(dir, kind.name);
  const logPath = join(dir, 'logs', `${kind.program}.log`);
  // A server left running by a killed keeper is taken over, so that its clients are not interrupted.
  let record: ServerRecord | undefined = before && takeOver(before);
  let attempt: Promise<void> | undefined;
  let pausedUntil = 0;
  let startedAt = 0;

  function keep(wish: Wish): void {
    if (attempt || Date.now() < pausedUntil) return;
    if (record?.process && !isAlive(record.process)) note(`${kind.program} (${record.process.pid}) ended unexpectedly`);
    else if (!record?.ready) attempt = start(wish).finally(() => (attempt = undefined));
  }

  async function start(wish: Wish): Promise<void> {
    try {
      const running = record?.process ? record : await launch(wish);
      await untilReady(running);
      record = { ...running, ready: true, failures: record?.failures ?? 0 };
      log(`${kind.program} is ready on port ${running.port}`);
      changed();
    } catch (error) {
      if (record?.process) await endProcess(record.process, kind.patienceMs);
      note(error instanceof Error ? error.message : String(error));
    }
  }

  /** Records a failure. The delay before the next attempt grows with consecutive failures. */
  function note(error: string): void {
    const steady = record?.ready === true && Date.now() - startedAt > steadyAfterMs;
    const earlier = steady ? 0 : (record?.failures ?? 0);
    const failures = earlier + 1;
    record = { port: record?.port ?? 0, ready: false, failures, error };
    pausedUntil = Date.now() + pauseMs(failures);
    log(`${error}; next attempt in ${pauseMs(failures)} ms`);
    changed();
  }

  async function launch(wish: Wish): Promise<ServerRecord> {
    mkdirSync(folder, { recursive: true });
    const port = await choosePort(kind, wish.port, record?.port);
    const file = openLog(logPath);
    // mongod does not start under a locale that the machine lacks.
    const env = { ...process.env, LC_ALL: 'C' };
    const child = spawn(wish.binary.path, kind.args({ binary: wish.binary, folder, port }), {
      cwd: dir,
      env,
      stdio: ['ignore', file, file],
    });
    closeSync(file);
    if (child.pid === undefined) {
      const [error]: Error[] = await once(child, 'error');
      throw new Error(`cannot start ${wish.binary.path}: ${error?.message}`);
    }
    startedAt = Date.now();
    record = { port, process: markOf(child.pid), ready: false, failures: record?.failures ?? 0 };
    changed();
    log(`${kind.program} ${wish.binary.version} started as ${child.pid}`);
    return record;
  }

  async function untilReady({ port, process: mark }: ServerRecord): Promise<void> {
    const deadline = Date.now() + readyWithinMs;
    let last: unknown;
    while (Date.now() < deadline) {
      if (mark && !isAlive(mark)) throw new Error(`${kind.program} ended while starting. The end of ${logPath}:\n${tailOf(logPath)}`);
      try {
        return await kind.prepare(port, folder);
      } catch (error) {
        last = error;
        await sleep(50);
      }
    }
    throw new Error(`${kind.program} was not ready within ${readyWithinMs / 1000} s: ${last instanceof Error ? last.message : last}`);
  }

  async function stop(): Promise<void> {
    const running = record?.process;
    if (!running || !isAlive(running)) return;
    log(`stopping ${kind.program}`);
    // The server closes the connection instead of responding. If the command failed, the signal follows.
    await kind.requestShutdown?.(record?.port ?? 0).catch(() => {});
    await endProcess(running, kind.patienceMs);
    await Promise.allSettled([attempt]);
  }

  return { keep, stop, record: () => record };
}

function takeOver({ port, process: mark }: ServerRecord): ServerRecord {
  return { port, ready: false, failures: 0, ...(mark && isAlive(mark) ? { process: mark } : {}) };
}

async function choosePort(kind: ServerKind, requested: number | undefined, last: number | undefined): Promise<number> {
  // get-port does not return a port twice within 15 s, but the port that was just used is preferred.
  clearLockedPorts();
  const wanted = requested ?? last;
  const port = await getPort({ host: '127.0.0.1', port: [...(wanted ? [wanted] : []), ...portNumbers(...kind.ports)] });
  if (requested !== undefined && port !== requested)
    throw new Error(`port ${requested} from INFRA_${kind.name.toUpperCase()}_PORT is in use`);
  return port;
}
