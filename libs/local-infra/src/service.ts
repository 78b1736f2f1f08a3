import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLog, tailOf } from './files.ts';
import { createLineFormat } from './service-lines.ts';

export type Service = { name: string; file: string; cwd: string; port: number; env: NodeJS.ProcessEnv };

export type Supervision = {
  logs: string;
  watch: boolean;
  /** Selects the colour of the service. */
  index: number;
  show: (text: string) => void;
  /** Called once when the service keeps crashing. */
  gaveUp: (reason: string) => void;
};

export type RunningService = ReturnType<typeof superviseService>;

const maxCrashes = 5;
const crashWindowMs = 60_000;
const drainWithinMs = 20_000;
/**
 * Six services share a laptop: each gets the heap that V8 would choose in a container of 512 MiB, and a quarter of the usual 48 MiB for
 * the young generation. By default on a large machine, V8 lets garbage grow to fill the memory. docs/decisions/0041-heap.md explains
 * the last flag.
 */
const littleMemory = ['--max-old-space-size=256', '--max-semi-space-size=4', '--no-allocation-site-pretenuring'];

/** Runs a service in its own process, restarts it when it crashes, and stops it. */
export function superviseService(service: Service, { logs, watch, index, show, gaveUp }: Supervision) {
  const logPath = join(logs, `${service.name}.log`);
  const log = createWriteStream(logPath, { fd: openLog(logPath) });
  const format = createLineFormat(service.name, index, watch ? 30 : 40);
  const crashes: number[] = [];
  let child: ChildProcess | undefined;
  let ended = Promise.resolve();
  let stopping = false;
  let failed = false;
  // Whether its output since the last start is already on the console.
  let outputShown = false;

  function start(): void {
    if (stopping) return;
    const flags = watch ? ['--watch', '--watch-preserve-output'] : [];
    const endWithUs = ['--import', new URL('./end-with-platform.ts', import.meta.url).href];
    const env = { ...service.env, ...(watch ? { PLATFORM_WATCHES: '1' } : {}) };
    // In its own process group, so that Ctrl-C reaches only this process: a service that gets it twice stops without draining.
    const started = spawn(process.execPath, [...flags, ...littleMemory, ...endWithUs, service.file], {
      cwd: service.cwd,
      env,
      detached: true,
      stdio: 'pipe',
    });
    child = started;
    outputShown = false;
    readLines(started, 'stdout');
    readLines(started, 'stderr');
    ended = new Promise((resolve) => {
      started.once('error', (error) => {
        show(`cannot start ${service.name}: ${error.message}`);
        resolve();
      });
      started.once('close', (code, signal) => {
        resolve();
        if (!stopping) crashed(code === null ? `was killed by ${signal}` : `exited with ${code}`);
      });
    });
  }

  function readLines(from: ChildProcess, stream: 'stdout' | 'stderr'): void {
    const input = from[stream];
    if (!input) return;
    createInterface({ input }).on('line', (line) => {
      log.write(`${line}\n`);
      const text = format(line, stream);
      if (text === undefined) return;
      outputShown = true;
      show(text);
    });
  }

  function crashed(how: string): void {
    const now = Date.now();
    crashes.push(now);
    const recent = crashes.filter((time) => now - time < crashWindowMs).length;
    show(`${service.name} ${how} unexpectedly${outputShown ? `; see ${logPath}` : `. The end of ${logPath}:\n${tailOf(logPath, 8)}`}`);
    if (recent >= maxCrashes) {
      failed = true;
      gaveUp(`${service.name} crashed ${recent} times within a minute.`);
      return;
    }
    const pauseMs = 250 * 2 ** (recent - 1);
    show(`restarting ${service.name} in ${pauseMs} ms`);
    setTimeout(start, pauseMs);
  }

  async function untilReady(withinMs: number): Promise<void> {
    const url = `http://127.0.0.1:${service.port}/health/ready`;
    const deadline = Date.now() + withinMs;
    while (!(await isResponding(url))) {
      if (stopping || failed) throw new Error(`${service.name} did not start.`);
      if (Date.now() > deadline) throw new Error(`${service.name} was not ready within ${withinMs / 1000} s (${url}); see ${logPath}.`);
      await sleep(50);
    }
  }

  function signal(name: NodeJS.Signals): void {
    if (child?.pid === undefined) return;
    try {
      // The watcher forwards SIGTERM; SIGKILL must go to the whole group.
      process.kill(name === 'SIGKILL' ? -child.pid : child.pid, name);
    } catch {
      // The process has already ended.
    }
  }

  /** Lets the service drain, and kills it when that takes too long. */
  async function stop(): Promise<void> {
    stopping = true;
    signal('SIGTERM');
    const patience = setTimeout(() => signal('SIGKILL'), drainWithinMs);
    await ended;
    clearTimeout(patience);
    log.end();
  }

  function kill(): void {
    stopping = true;
    signal('SIGKILL');
  }

  start();
  return { name: service.name, untilReady, stop, kill };
}

async function isResponding(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}
