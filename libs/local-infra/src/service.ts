import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLog, tailOf } from './files.ts';
import { markOf } from './process-mark.ts';
import { createLineFormat } from './service-lines.ts';

export type Service = { name: string; file: string; cwd: string; port: number; env: NodeJS.ProcessEnv };

export type Supervision = {
  logs: string;
  watch: boolean;
  /** Places the service's colour. */
  index: number;
  show: (text: string) => void;
  /** Called once when it keeps dying. */
  gaveUp: (reason: string) => void;
};

export type RunningService = ReturnType<typeof superviseService>;

const deathsMax = 5;
const deathsWithinMs = 60_000;
const drainWithinMs = 20_000;
/**
 * Six services share a laptop: each has the heap that V8 gives itself in a container of 512 MiB, and keeps a quarter of
 * the usual 48 MiB for what has just been made. Left alone on a large machine, V8 lets garbage lie for as long as there is room.
 * The last flag is explained in docs/decisions/0041-heap.md.
 */
const littleMemory = ['--max-old-space-size=256', '--max-semi-space-size=4', '--no-allocation-site-pretenuring'];

/** Runs one service as a process of its own, starts it again when it dies, and stops it when asked. */
export function superviseService(service: Service, { logs, watch, index, show, gaveUp }: Supervision) {
  const logPath = join(logs, `${service.name}.log`);
  const log = createWriteStream(logPath, { fd: openLog(logPath) });
  const format = createLineFormat(service.name, index, watch ? 30 : 40);
  const deaths: number[] = [];
  let child: ChildProcess | undefined;
  let ended = Promise.resolve();
  let stopping = false;
  let failed = false;
  // Whether what it wrote since it started is on the console already.
  let toldWhy = false;

  function start(): void {
    if (stopping) return;
    const flags = watch ? ['--watch', '--watch-preserve-output'] : [];
    const endWithUs = ['--import', new URL('./end-with-platform.ts', import.meta.url).href];
    const env = { ...service.env, PLATFORM_MARK: JSON.stringify(markOf(process.pid)), ...(watch ? { PLATFORM_WATCHES: '1' } : {}) };
    // In a group of its own, so that Ctrl-C reaches only us: a service that hears it twice stops without draining.
    const started = spawn(process.execPath, [...flags, ...littleMemory, ...endWithUs, service.file], {
      cwd: service.cwd,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    toldWhy = false;
    readLines(started, 'stdout');
    readLines(started, 'stderr');
    ended = new Promise((resolve) => {
      started.once('error', (error) => {
        show(`${service.name} could not be started: ${error.message}`);
        resolve();
      });
      started.once('close', (code, signal) => {
        resolve();
        if (!stopping) died(code === null ? `was ended by ${signal}` : `ended with ${code}`);
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
      toldWhy = true;
      show(text);
    });
  }

  function died(how: string): void {
    const now = Date.now();
    deaths.push(now);
    const recent = deaths.filter((time) => now - time < deathsWithinMs).length;
    show(`${service.name} ${how} unexpectedly${toldWhy ? `; see ${logPath}` : `. The end of ${logPath}:\n${tailOf(logPath, 8)}`}`);
    if (recent >= deathsMax) {
      failed = true;
      gaveUp(`${service.name} died ${recent} times within a minute.`);
      return;
    }
    const pauseMs = 250 * 2 ** (recent - 1);
    show(`${service.name} starts again in ${pauseMs} ms`);
    setTimeout(start, pauseMs);
  }

  async function untilReady(withinMs: number): Promise<void> {
    const url = `http://127.0.0.1:${service.port}/health/ready`;
    const deadline = Date.now() + withinMs;
    while (!(await answers(url))) {
      if (stopping || failed) throw new Error(`${service.name} did not start.`);
      if (Date.now() > deadline) throw new Error(`${service.name} was not ready within ${withinMs / 1000} s (${url}); see ${logPath}.`);
      await sleep(50);
    }
  }

  function signal(name: NodeJS.Signals): void {
    if (child?.pid === undefined) return;
    try {
      // The watcher passes SIGTERM on itself; SIGKILL has to reach the whole group.
      process.kill(name === 'SIGKILL' ? -child.pid : child.pid, name);
    } catch {
      // It has ended already.
    }
  }

  /** Lets it finish what it is doing, and ends it when that takes too long. */
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

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.status === 200;
  } catch {
    return false;
  }
}
