import { invalid } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import type { SendersStore } from './senders-store.ts';

/** What is wrong with a sender; undefined if nothing is. */
export type FindFault = (accountId: AccountId, from: string) => Promise<string | undefined>;

export const createFindUnverified =
  (senders: Pick<SendersStore, 'signingOf'>): FindFault =>
  async (accountId, from) => {
    if (await senders.signingOf(accountId, from)) return undefined;
    return `The domain ${from.slice(from.lastIndexOf('@') + 1)} is not verified; add it with POST /v2/campaigns/senders and check it.`;
  };

export type RequireSender = (accountId: AccountId, from: string) => Promise<void>;

/** Throws VALIDATION_ERROR for a sender that the operator does not accept. */
export const createRequireSender =
  (findRefused: FindFault): RequireSender =>
  async (accountId, from) => {
    const fault = await findRefused(accountId, from);
    if (fault !== undefined) throw invalid('/from/email', 'unverified_domain', fault);
  };
