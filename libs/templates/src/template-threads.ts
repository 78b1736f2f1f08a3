import { Tinypool } from 'tinypool';
import { createTurns, type TurnsLane } from './turns.ts';

type Config = {
  threads: number;
  /** How long a task may take before its thread is ended: what limits itself takes far less. */
  taskMs: number;
  /** How many tasks that callers asked for may wait of one account. */
  maxWaiting: number;
};

/** A module that threads run: what it exports by default takes a task and returns its result. */
type Work = (task: never) => unknown;

/** The task took too long or too much memory, twice. */
export class TaskTooLarge extends Error {}

/**
 * Threads for work on templates that callers wrote, so that no template holds up anything else: a thread that takes too
 * long is ended, and one account never has all of them.
 */
export function createTemplateThreads({ threads, taskMs, maxWaiting }: Config) {
  const pool = new Tinypool({
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: 60_000,
    resourceLimits: { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 },
  });
  // A thread that ends while it has no task: the next task has a new one.
  pool.on('error', () => undefined);
  const inTurn = createTurns({ slots: threads, perAccount: Math.max(1, threads - 1), maxWaiting });

  function attempt<Run extends Work>(module: URL, task: Parameters<Run>[0]): Promise<Awaited<ReturnType<Run>>> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), taskMs);
    return pool.run(task, { filename: module.href, signal: late.signal }).finally(() => clearTimeout(timer));
  }

  return {
    /** Runs what the module exports by default on the task. Throws TaskTooLarge. */
    run: <Run extends Work>(
      accountId: string,
      module: URL,
      task: Parameters<Run>[0],
      lane: TurnsLane = 'asked',
    ): Promise<Awaited<ReturnType<Run>>> => inTurn(accountId, () => twice(() => attempt<Run>(module, task)), lane),

    stop: () => pool.destroy(),
  };
}

/** On a busy machine also a small task may take long, once. */
async function twice<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work().catch((error: unknown) => {
      if (isTooLarge(error)) return work();
      throw error;
    });
  } catch (error) {
    if (isTooLarge(error)) throw new TaskTooLarge('It takes too long or too much memory.', { cause: error });
    throw error;
  }
}

const isTooLarge = (error: unknown) =>
  error instanceof Error && (error.name === 'AbortError' || ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'));

export type TemplateThreads = ReturnType<typeof createTemplateThreads>;
