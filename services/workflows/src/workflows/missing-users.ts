import { UsersExist } from '@mp/contracts/requests/gateway';
import type { AccountId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';

export type FindMissingUsers = ReturnType<typeof createFindMissingUsers>;

/** Which of these users the account does not have; none if the gateway does not reply, because the step is checked again when it is taken. */
export const createFindMissingUsers =
  ({ broker }: { broker: Pick<Broker, 'request'> }) =>
  async (accountId: AccountId, ids: readonly string[]): Promise<ReadonlySet<string>> => {
    const user_ids = [...new Set(ids)];
    if (user_ids.length === 0) return new Set();
    try {
      const { missing } = await broker.request(UsersExist, { account_id: accountId, user_ids });
      return new Set(missing);
    } catch {
      return new Set();
    }
  };
