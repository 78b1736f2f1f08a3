import type { AccountId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage, parseSort } from '@mp/service-kit/list';
import type { Collection, Filter, WithId } from 'mongodb';

type Owned = { _id: string; account_id: AccountId };

/** The list of a store whose rows have no other order or filter: those of one account by `created_at`, newest first. */
export const newestFirst =
  <Stored extends Owned, Row>(collection: Collection<Stored>, rowFrom: (stored: WithId<Stored>) => Row) =>
  async (accountId: AccountId, { limit, cursor }: { limit: number; cursor: string | undefined }, cursors: Cursors) => {
    const { items, pagination } = await findPage({
      collection,
      filter: { account_id: accountId } as Filter<Stored>,
      order: parseSort('-created_at'),
      limit,
      cursor,
      cursors,
      boundTo: [accountId, collection.collectionName],
    });
    return { items: items.map(rowFrom), pagination };
  };
