import type { Background } from '@mp/service-kit/runner';

/** How many rows one flush writes, and the time over which it spreads them. */
export type Pace = { maxRows: number; overMs: number };

const allNow: Pace = { maxRows: Number.POSITIVE_INFINITY, overMs: 0 };

type WriteBehindConfig = {
  everyMs: number;
  /** The pace of the flushes at the interval; `flush` alone and the last flush write everything without a pause. */
  pace?: Pace;
  /** Keeps what it cannot write for the next flush, and never rejects. The signal ends its pauses. */
  write: (pace: Pace, signal: AbortSignal) => Promise<void>;
};

/** Writes what is collected in memory at an interval, and the rest when stopped. Runs one flush at a time. */
export function createWriteBehind({
  everyMs,
  pace = allNow,
  write,
}: WriteBehindConfig): Background & { flush: (pace?: Pace) => Promise<void> } {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running = 0;
  let latest: Promise<void> = Promise.resolve();

  /** What is collected during a flush is written by the next. */
  function flush(own: Pace = allNow): Promise<void> {
    running += 1;
    latest = latest
      .then(() => write(own, stopping.signal))
      .finally(() => {
        running -= 1;
      });
    return latest;
  }

  return {
    flush,
    start() {
      timer = setInterval(() => {
        if (running === 0) void flush(pace);
      }, everyMs);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await flush();
    },
  };
}
