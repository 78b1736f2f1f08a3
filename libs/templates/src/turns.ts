import { ApiError } from '@mp/contracts/errors';

/** Who asked: a caller of the API, or the sender, whose mails do not wait behind what callers try out. */
export type TurnsLane = 'asked' | 'mails';

type Config = {
  slots: number;
  /** How many slots one account may take; fewer than there are, so that nobody has them all. */
  perAccount: number;
  /** How much of what callers ask for may wait of one account. The sender limits itself. */
  maxWaiting: number;
};

/** Shares a few slots between lanes and accounts: each lane in turn, each account in turn, first come first served within one. */
export function createTurns({ slots, perAccount, maxWaiting }: Config) {
  /** In the order of the lanes' turns, and of the accounts' in each. */
  const waiting = new Map<TurnsLane, Map<string, (() => void)[]>>([
    ['asked', new Map()],
    ['mails', new Map()],
  ]);
  const running = new Map<string, number>();
  let taken = 0;

  /** Takes what is next; undefined when nothing may run now. */
  function next(): (() => void) | undefined {
    for (const [lane, accounts] of waiting) {
      for (const [accountId, own] of accounts) {
        const runs = running.get(accountId) ?? 0;
        if (runs >= perAccount) continue;
        const first = own.shift();
        // Behind the others.
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

  /** Runs the work in the account's turn. Throws RATE_LIMITED when too much of the account waits already. */
  return async <Result>(accountId: string, work: () => Promise<Result>, lane: TurnsLane = 'asked'): Promise<Result> => {
    const accounts = waiting.get(lane) ?? new Map<string, (() => void)[]>();
    const own = accounts.get(accountId) ?? [];
    if (lane === 'asked' && own.length >= maxWaiting)
      throw new ApiError('RATE_LIMITED', `${maxWaiting} templates of this account wait to be rendered; try again later.`, {
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
