import { ApiError } from '@mp/contracts/errors';
import type { NameRequest } from '@mp/contracts/requests/names';
import type { AccountId } from '@mp/ids';
import type { Broker } from './broker.ts';

type Get = (accountId: AccountId, id: string) => Promise<{ name: string }>;

/** Replies with the name of a resource. `get` throws NOT_FOUND for one that the account does not have. */
export const replyWithName = (broker: Pick<Broker, 'reply'>, type: NameRequest, get: Get) => () =>
  broker.reply(type, async ({ account_id, id }) => {
    try {
      return { name: (await get(account_id, id)).name };
    } catch (error) {
      if (error instanceof ApiError && error.code === 'NOT_FOUND') return { name: null };
      throw error;
    }
  });
