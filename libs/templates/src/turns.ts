import { ApiError } from '@mp/contracts/errors';

/** `asked`: requests of API callers. `mails`: the sender, whose emails do not wait behind them. */
export type TurnsLane = 'asked' | 'mails';

type Config = {
  slots: number;
  /** Slots per account; fewer than `slots`, so that no account can occupy all of them. */
  perAccount: number;
  /** How many requests of API callers may wait per account. The sender limits itself. */
  maxWaiting: number;
};

/** A fair queue: lanes take turns, accounts take turns within a lane, and tasks of an account run in order. */
export function createTurns({ slots, perAccount, maxWaiting }: Config) {
  /** Ordered by the next turn of each lane, and of each account within it. */
  const waiting = new Map<TurnsLane, Map<string, (() => void)[]>>([
    ['asked', new Map()],
    ['mails', new Map()],
  ]);
  const running = new Map<string, number>();
  let taken = 0;

  /** Takes the next task; undefined when none may run now. */
  function next(): (() => void) | undefined {
    for (const [lane, accounts] of waiting) {
      for (const [accountId, own] of accounts) {
        const runs = running.get(accountId) ?? 0;
        if (runs >= perAccount) continue;
        const first = own.shift();
        // Move this account and lane to the end.
        accounts.delete(accountId);
        if (own.length > 0) accounts.set(accountId, own);
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

  /** Runs the work in the account's turn. Throws RATE_LIMITED when too many tasks of the account are waiting. */
  return async <Result>(accountId: string, work: () => Promise<Result>, lane: TurnsLane = 'asked'): Promise<Result> => {
    const accounts = waiting.get(lane) ?? new Map<string, (() => void)[]>();
    const own = accounts.get(accountId) ?? [];
    if (lane === 'asked' && own.length >= maxWaiting)
      throw new ApiError('RATE_LIMITED', `${maxWaiting} templates of this account are already waiting to be rendered; try again later.`, {
        retryAfter: 1,
      });
    const turn = new Promise<void>((resolve) => own.push(resolve));
    accounts.set(accountId, own);
    begin();
    await turn;
    try {
      return await work();
    } finally {
      end(accountId);
    }
  };
}
