import { ApiError } from '@mp/contracts/errors';

/** `requests`: requests of API callers. `emails`: the sender, whose emails do not wait behind them. */
export type Lane = 'requests' | 'emails';

type Config = {
  slots: number;
  /** Slots per account; fewer than `slots`, so that no account can occupy all of them. */
  perAccount: number;
  /** How many requests of API callers may wait per account, and for how long. The sender limits itself. */
  maxWaiting: number;
  maxWaitMs: number;
};

type Options = {
  lane?: Lane | undefined;
  /** Aborted when the caller leaves: work that waits is dropped then. */
  signal?: AbortSignal | undefined;
  /** When work of an API caller may wait no longer, on the clock of `performance.now()`, if that is before `maxWaitMs`. */
  deadline?: number;
};

/** Limits the work in progress, fairly: lanes take turns, accounts take turns within a lane, and tasks of an account run in order. */
export function createConcurrencyLimit({ slots, perAccount, maxWaiting, maxWaitMs }: Config) {
  /** Ordered by the next turn of each lane, and of each account within it. */
  const waiting = new Map<Lane, Map<string, Set<() => void>>>([
    ['requests', new Map()],
    ['emails', new Map()],
  ]);
  const running = new Map<string, number>();
  let taken = 0;

  /** Takes the next task; undefined when none may run now. */
  function next(): (() => void) | undefined {
    for (const [lane, accounts] of waiting) {
      for (const [accountId, own] of accounts) {
        const runs = running.get(accountId) ?? 0;
        if (runs >= perAccount) continue;
        const [first] = own;
        if (first) own.delete(first);
        // Move this account and lane to the end.
        accounts.delete(accountId);
        if (own.size > 0) accounts.set(accountId, own);
        waiting.delete(lane);
        waiting.set(lane, accounts);
        running.set(accountId, runs + 1);
        taken += 1;
        return first;
      }
    }
    return undefined;
  }

  function begin() {
    while (taken < slots) {
      const first = next();
      if (!first) return;
      first();
    }
  }

  function end(accountId: string) {
    const runs = (running.get(accountId) ?? 0) - 1;
    if (runs > 0) running.set(accountId, runs);
    else running.delete(accountId);
    taken -= 1;
    begin();
  }

  /** Resolves when it is the account's turn, which has then begun. Rejects if it is not within time, or if the caller leaves. */
  function turn(accountId: string, { lane = 'requests', signal, deadline = Number.POSITIVE_INFINITY }: Options): Promise<void> {
    const accounts = waiting.get(lane) ?? new Map<string, Set<() => void>>();
    const own = accounts.get(accountId) ?? new Set();
    if (signal?.aborted) return Promise.reject(callerLeft());
    if (lane === 'requests' && own.size >= maxWaiting) return Promise.reject(ownQueue(`${maxWaiting} are waiting`));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (error: ApiError) => {
      settle();
      own.delete(enter);
      if (own.size === 0 && accounts.get(accountId) === own) accounts.delete(accountId);
      reject(error);
    };
    const isLate = () => leave(running.has(accountId) ? ownQueue('they take too long') : tooBusy());
    const hasLeft = () => leave(callerLeft());
    const timer = lane === 'requests' ? setTimeout(isLate, Math.max(0, Math.min(maxWaitMs, deadline - performance.now()))) : undefined;
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', hasLeft);
    };
    const enter = () => {
      settle();
      resolve();
    };
    signal?.addEventListener('abort', hasLeft);
    own.add(enter);
    accounts.set(accountId, own);
    begin();
    return promise;
  }

  /**
   * Runs the work in the account's turn. Throws RATE_LIMITED when the account's own tasks keep it waiting: too many, or for too long;
   * SERVICE_UNAVAILABLE when those of others do, or when the caller has left.
   */
  return async <Result>(accountId: string, work: () => Promise<Result>, options: Options = {}): Promise<Result> => {
    await turn(accountId, options);
    try {
      return await work();
    } finally {
      end(accountId);
    }
  };
}

const ownQueue = (reason: string) =>
  new ApiError('RATE_LIMITED', `Other emails or images of this account are being processed, and ${reason}; try again later.`, {
    retryAfter: 1,
  });

const tooBusy = () =>
  new ApiError('SERVICE_UNAVAILABLE', 'The platform is too busy to process the email or image at the moment; try again later.', {
    retryAfter: 5,
  });

/** Nobody receives this response. */
const callerLeft = () => new ApiError('SERVICE_UNAVAILABLE', 'The caller has left.', { retryAfter: 1 });
