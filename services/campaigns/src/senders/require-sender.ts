import { invalid } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import type { SendersStore } from './senders-store.ts';

export type RequireSender = (accountId: AccountId, from: string) => Promise<void>;

/** Throws VALIDATION_ERROR for a sender whose domain is not verified, if the operator requires that. */
export const createRequireSender =
  (senders: SendersStore, isRequired: boolean): RequireSender =>
  async (accountId, from) => {
    if (!isRequired || (await senders.signingOf(accountId, from))) return;
    const domain = from.slice(from.lastIndexOf('@') + 1);
    throw invalid(
      '/from/email',
      'unverified_domain',
      `The domain ${domain} is not verified; add it with POST /v2/campaigns/senders and check it.`,
    );
  };
