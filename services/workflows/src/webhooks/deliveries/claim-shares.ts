import type { AccountId, WebhookId } from '@mp/ids';
import { createCallBudget } from '../../receivers/call-budget.ts';
import type { Target } from '../definitions/webhooks-store.ts';

/** How many requests a receiver that responds quickly has claimed at once, when fewer than it may have in-flight wait. */
const claimedAtOnce = 32;

/** Requests that are claimed, in-flight or whose results are being written. Beyond, deliveries stay in the database. */
const limits = { maxCalls: 2_048, maxPerAccount: 512, maxPerHost: 2 * claimedAtOnce };

/** What a webhook with due deliveries may claim: `room` to send now, and more if `isAhead`. */
type Wanting = { target: Target; room: number; isAhead: boolean };

export type Share = { target: Target; limit: number };

const callOf = ({ id, accountId }: { id: WebhookId; accountId: AccountId }) => ({ account_id: accountId, host: id });

/** Limits what this process has claimed, and shares it among webhooks. */
export function createClaimShares() {
  // It counts each webhook as a host.
  const claims = createCallBudget(limits);
  let leftOut: Target[] = [];

  function take(target: Target, wanted: number): number {
    let taken = 0;
    while (taken < wanted && claims.take(callOf(target))) taken += 1;
    return taken;
  }

  return {
    room: claims.room,

    giveBack(of: Parameters<typeof callOf>[0], count = 1) {
      for (let given = 0; given < count; given += 1) claims.giveBack(callOf(of));
    },

    /** How many requests each webhook claims now: first what each may send, then what some get ahead. They count as claimed. */
    share(wanting: readonly Wanting[]): Share[] {
      const shares = wanting.map((one) => ({ ...one, limit: take(one.target, one.room) }));
      leftOut = shares.filter(({ room, limit }) => room > 0 && limit === 0).map(({ target }) => target);
      for (const one of shares) if (one.isAhead) one.limit += take(one.target, claimedAtOnce - one.limit);
      return shares.filter(({ limit }) => limit > 0);
    },

    /** Whether the last sharing left a webhook out, because others held too much. */
    isAnyLeftOut: () => leftOut.length > 0,

    /** Whether one that was left out can claim by now. */
    canAnyContinue: () =>
      leftOut.some((target) => {
        const isFree = take(target, 1) === 1;
        if (isFree) claims.giveBack(callOf(target));
        return isFree;
      }),
  };
}
