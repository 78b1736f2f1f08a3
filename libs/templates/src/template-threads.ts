import type { Worker } from 'node:worker_threads';
import { ApiError } from '@mp/contracts/errors';
import { Tinypool } from 'tinypool';
import { createConcurrencyLimit, type Lane } from './concurrency-limit.ts';

export type TemplateThreadsConfig = {
  threads: number;
  /** CPU time after which a task's thread is terminated. Renderings limit themselves to far less. */
  maxCpuMs: number;
  /**
   * Elapsed time after which it is terminated, too, because the machine does not give it its CPU time. For API callers, it is that
   * of all tasks of a request with their waits, so that they get a response before the gateway's time-out.
   */
  maxElapsedMs: number;
  /** How many tasks of API callers may wait per account, and for how long. */
  maxWaiting: number;
  maxWaitMs: number;
  /** Aborted when the caller of the request in progress leaves, so that its waiting tasks are dropped. */
  callerSignal?: (() => AbortSignal | undefined) | undefined;
};

/** The default export of a module that threads run: takes a task and returns its result. */
type Work = (task: never) => unknown;

/** Thrown when a task exceeded its CPU time, or twice its memory. */
export class TaskTooLarge extends Error {}

/**
 * Worker threads for customers' templates, so that no template can block anything else: a thread that computes too long is terminated,
 * and no account can occupy all threads. The load of the machine fails no template: a task that was not given its CPU time is
 * SERVICE_UNAVAILABLE.
 */
export function createTemplateThreads({ threads, maxWaiting, maxWaitMs, callerSignal, maxCpuMs, maxElapsedMs }: TemplateThreadsConfig) {
  const all = Array.from({ length: threads }, () => createThread(maxCpuMs));
  /** One that ran last is taken first, because it has compiled templates. */
  const idle = [...all];
  const limited = createConcurrencyLimit({ slots: threads, perAccount: Math.max(1, threads - 1), maxWaiting, maxWaitMs });

  /** Tasks of the same request share a deadline. */
  const deadlines = new WeakMap<AbortSignal, number>();

  function deadlineOf(signal: AbortSignal | undefined): number {
    const known = signal && deadlines.get(signal);
    const deadline = known ?? performance.now() + maxElapsedMs;
    if (signal) deadlines.set(signal, deadline);
    return deadline;
  }

  async function attempt<Run extends Work>(module: URL, task: Parameters<Run>[0], deadline: number): Promise<Awaited<ReturnType<Run>>> {
    const thread = idle.pop();
    if (!thread) throw new Error('More tasks are running than there are threads.');
    try {
      return await thread.run<Run>(module, task, deadline);
    } finally {
      idle.push(thread);
    }
  }

  return {
    /** Runs the default export of the module on the task. Throws TaskTooLarge, and SERVICE_UNAVAILABLE on a machine that is too busy. */
    run: <Run extends Work>(
      accountId: string,
      module: URL,
      task: Parameters<Run>[0],
      lane: Lane = 'requests',
    ): Promise<Awaited<ReturnType<Run>>> => {
      const signal = lane === 'requests' ? callerSignal?.() : undefined;
      const callerDeadline = deadlineOf(signal);
      const work = () => {
        const deadline = lane === 'requests' ? callerDeadline : performance.now() + maxElapsedMs;
        return twice(() => attempt<Run>(module, task, deadline));
      };
      return limited(accountId, work, { lane, signal, deadline: callerDeadline });
    },

    stop: async () => {
      await Promise.all(all.map(({ stop }) => stop()));
    },
  };
}

/** A thread that runs one task at a time. It starts with the first one, and again after it was terminated. */
function createThread(maxCpuMs: number) {
  const pool = new Tinypool({
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 60_000,
    resourceLimits: { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 },
  });
  // The thread failed while it was idle; the next task gets a new one.
  pool.on('error', () => undefined);

  return {
    /** Ends by the deadline, on the clock of `performance.now()`. */
    async run<Run extends Work>(module: URL, task: Parameters<Run>[0], deadline: number): Promise<Awaited<ReturnType<Run>>> {
      const stopping = new AbortController();
      let reason: Error | undefined;
      const end = (error: Error) => {
        reason ??= error;
        stopping.abort();
      };
      const running = pool.run(task, { filename: module.href, signal: stopping.signal });
      const elapsed = setTimeout(() => end(tooBusy()), Math.max(0, deadline - performance.now()));
      const cpu = watchCpu(workerOf(pool), maxCpuMs, () => end(tooLarge()));
      try {
        return await running;
      } catch (error) {
        throw reason ?? error;
      } finally {
        clearTimeout(elapsed);
        cpu.stop();
      }
    },

    stop: () => pool.destroy(),
  };
}

/** The only thread of the pool, whose type does not have the worker. */
const workerOf = ({ threads: [only] }: Tinypool): Worker | undefined => (only as { thread?: Worker } | undefined)?.thread;

const none = { user: 0, system: 0 };

/**
 * Calls back once the worker has used more than `maxMs` of CPU time since now. Node before 24.6 does not report it; there, elapsed time
 * counts.
 */
function watchCpu(worker: Worker | undefined, maxMs: number, onExceeded: () => void) {
  if (worker && !('cpuUsage' in worker)) {
    const timer = setTimeout(onExceeded, maxMs);
    return { stop: () => clearTimeout(timer) };
  }
  // A worker that is starting has used none, and one that has ended uses no more.
  const used = async (since = none) => (await worker?.cpuUsage(since).catch(() => none)) ?? none;
  const began = used();
  let timer: NodeJS.Timeout;
  let isOver = false;

  // A thread cannot use more CPU time than has elapsed.
  function lookIn(ms: number) {
    timer = setTimeout(async () => {
      const { user, system } = await used(await began);
      if (isOver) return;
      const leftMs = maxMs - (user + system) / 1_000;
      if (leftMs <= 0) onExceeded();
      else lookIn(Math.max(leftMs, 50));
    }, ms);
  }
  lookIn(maxMs);

  return {
    stop() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

/** Retries once without memory: a thread keeps what it has compiled for others, and a new one has nothing. */
async function twice<Result>(work: () => Promise<Result>): Promise<Result> {
  return work().catch((error: unknown) => {
    if (!isOutOfMemory(error)) throw error;
    return work().catch((again: unknown) => {
      throw isOutOfMemory(again) ? tooLarge(again) : again;
    });
  });
}

const isOutOfMemory = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

const tooLarge = (cause?: unknown) => new TaskTooLarge('The message takes too much time or memory to render.', { cause });

const tooBusy = () =>
  new ApiError('SERVICE_UNAVAILABLE', 'The platform is too busy to render the message at the moment; try again later.', { retryAfter: 5 });
