import { ApiError } from '@mp/contracts/errors';

type Config = {
  slots: number;
  /** How many slots one account may take; fewer than there are, so that nobody has them all. */
  perAccount: number;
  /** How much of one account may wait. */
  maxWaiting: number;
};

/** Shares a few slots between accounts: each account in turn, first come first served within one. */
export function createTurns({ slots, perAccount, maxWaiting }: Config) {
  /** In the order of the accounts' turns. */
  const waiting = new Map<string, (() => void)[]>();
  const running = new Map<string, number>();
  let taken = 0;

  function begin() {
    for (const [accountId, own] of waiting) {
      const runs = running.get(accountId) ?? 0;
      if (taken >= slots) return;
      if (runs >= perAccount) continue;
      const first = own.shift();
      // Behind the others.
      waiting.delete(accountId);
      if (own.length > 0) waiting.set(accountId, own);
      running.set(accountId, runs + 1);
      taken += 1;
      first?.();
    }
  }

  function end(accountId: string) {
    const runs = (running.get(accountId) ?? 0) - 1;
    if (runs > 0) running.set(accountId, runs);
    else running.delete(accountId);
    taken -= 1;
    begin();
  }

  /** Runs the work in the account's turn. Throws RATE_LIMITED when too much of the account waits already. */
  return async <Result>(accountId: string, work: () => Promise<Result>): Promise<Result> => {
    const own = waiting.get(accountId) ?? [];
    if (own.length >= maxWaiting)
      throw new ApiError('RATE_LIMITED', `${maxWaiting} templates of this account wait to be rendered; try again later.`, {
        retryAfter: 1,
      });
    const turn = new Promise<void>((resolve) => own.push(resolve));
    waiting.set(accountId, own);
    begin();
    await turn;
    try {
      return await work();
    } finally {
      end(accountId);
    }
  };
}
