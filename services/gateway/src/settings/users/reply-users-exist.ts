import { UsersExist } from '@mp/contracts/requests/gateway';
import { trustedId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { UsersStore } from './users-store.ts';

type Deps = { broker: Pick<Broker, 'reply'>; users: Pick<UsersStore, 'missing'> };

/** Reports to workflows which users of its steps the account does not have. */
export const replyToUsersExist =
  ({ broker, users }: Deps) =>
  () =>
    broker.reply(UsersExist, async ({ account_id, user_ids }) => ({
      missing: await users.missing(trustedId<'account'>(account_id), user_ids),
    }));
