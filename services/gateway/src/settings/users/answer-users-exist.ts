import { UsersExist } from '@mp/contracts/questions/gateway';
import { trustedId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { UsersStore } from './users-store.ts';

type Deps = { broker: Pick<Broker, 'answer'>; users: Pick<UsersStore, 'missing'> };

/** Reports to workflows which users of its steps the account does not have. */
export const answerUsersExist =
  ({ broker, users }: Deps) =>
  () =>
    broker.answer(UsersExist, async ({ account_id, user_ids }) => ({
      missing: await users.missing(trustedId<'account'>(account_id), user_ids),
    }));
