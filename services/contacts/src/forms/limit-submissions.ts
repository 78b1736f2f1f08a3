import { ApiError } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import { networkOf } from '@mp/service-kit/client-address';
import { createTokenBuckets } from '@mp/service-kit/token-buckets';
import type { Form } from './form.ts';

const hourS = 3_600;
const maxKeys = 100_000;

/** Requests of a network for any form, submissions of a network for one form, and submissions for one address. */
const perNetwork = { perSecond: 2, burst: 120, max: maxKeys };
const perNetworkAndForm = { perSecond: 1 / 20, burst: 30, max: maxKeys };
const perAddress = { perSecond: 1 / 600, burst: 5, max: maxKeys };
/** An hour's tokens; a form with a limit of n takes the n-th part of them for each submission. */
const perForm = { perSecond: 1, burst: hourS, max: maxKeys };

/** Submissions without a proof of work, of one form that asks for it. */
const perUnprovenForm = { perSecond: 30 / hourS, burst: 30, max: maxKeys };

export type LimitSubmissions = ReturnType<typeof createLimitSubmissions>;

export const tooMany = (retryAfter: number) => new ApiError('RATE_LIMITED', 'Too many submissions; try again later.', { retryAfter });

/**
 * Limits what strangers send, in this process: each replica has limits of its own. The limit of emails to an address is exact; the store
 * keeps it.
 */
export function createLimitSubmissions(now = Date.now) {
  const networks = createTokenBuckets(perNetwork, now);
  const visitors = createTokenBuckets(perNetworkAndForm, now);
  const addresses = createTokenBuckets(perAddress, now);
  const unproven = createTokenBuckets(perUnprovenForm, now);
  const accepted = createTokenBuckets(perForm, now);
  const confirmed = createTokenBuckets(perForm, now);

  const take = (wait: number) => {
    if (wait > 0) throw tooMany(wait);
  };

  return {
    /** Before anything is looked up. Throws RATE_LIMITED. */
    request: (ip: string) => take(networks.take(networkOf(ip), 1)),

    /** Before a submission is read. Throws RATE_LIMITED. */
    submission: ({ id }: Form, ip: string) => take(visitors.take(`${id} ${networkOf(ip)}`, 1)),

    /** The seconds until the form as a whole takes another submission; 0 if it does now. */
    waitOf: (form: Form): number => accepted.wait(form.id, hourS / form.limits.submissions_per_hour),

    /** The same of a submission that nothing else keeps from being stored, which counts: what is rejected closes the form for nobody. */
    accept: (form: Form): number => accepted.take(form.id, hourS / form.limits.submissions_per_hour),

    /** Counts a submission that fits the form by its address. Throws RATE_LIMITED, in the same way for every address. */
    address: (accountId: AccountId, hash: string) => take(addresses.take(`${accountId} ${hash}`, 1)),

    /** Whether a submission may lack the proof of work that the form asks for: few may, so that robots gain nothing by leaving it out. */
    mayLackProof: ({ id }: Form): boolean => unproven.take(id, 1) === 0,

    /** Whether the form has had more submissions than it may have confirmation emails. */
    isFlooded: ({ id, limits }: Form): boolean => confirmed.take(id, hourS / limits.confirmations_per_hour) > 0,
  };
}
