import { Tinypool } from 'tinypool';
import { createTurns, type TurnsLane } from './turns.ts';

type Config = {
  threads: number;
  /** How long a task may take before its thread is terminated. Renderings limit themselves to far less. */
  taskMs: number;
  /** How many tasks of API callers may wait per account. */
  maxWaiting: number;
};

/** The default export of a module that threads run: takes a task and returns its result. */
type Work = (task: never) => unknown;

/** Thrown when a task exceeded its time or memory limit twice. */
export class TaskTooLarge extends Error {}

/**
 * Worker threads for customers' templates, so that no template can block anything else: a thread that takes too long is terminated,
 * and no account can occupy all threads.
 */
export function createTemplateThreads({ threads, taskMs, maxWaiting }: Config) {
  const pool = new Tinypool({
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: 60_000,
    resourceLimits: { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 },
  });
  // An idle thread failed; the next task gets a new one.
  pool.on('error', () => undefined);
  const inTurn = createTurns({ slots: threads, perAccount: Math.max(1, threads - 1), maxWaiting });

  function attempt<Run extends Work>(module: URL, task: Parameters<Run>[0]): Promise<Awaited<ReturnType<Run>>> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), taskMs);
    return pool.run(task, { filename: module.href, signal: late.signal }).finally(() => clearTimeout(timer));
  }

  return {
    /** Runs the default export of the module on the task. Throws TaskTooLarge. */
    run: <Run extends Work>(
      accountId: string,
      module: URL,
      task: Parameters<Run>[0],
      lane: TurnsLane = 'asked',
    ): Promise<Awaited<ReturnType<Run>>> => inTurn(accountId, () => twice(() => attempt<Run>(module, task)), lane),

    stop: () => pool.destroy(),
  };
}

/** Retries once, because a small task may take long on a busy machine. */
async function twice<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work().catch((error: unknown) => {
      if (isTooLarge(error)) return work();
      throw error;
    });
  } catch (error) {
    if (isTooLarge(error)) throw new TaskTooLarge('The message takes too much time or memory to render.', { cause: error });
    throw error;
  }
}

const isTooLarge = (error: unknown) =>
  error instanceof Error && (error.name === 'AbortError' || ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'));
