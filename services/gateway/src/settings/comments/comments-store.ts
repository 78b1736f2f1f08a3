import { notFound } from '@mp/contracts/errors';
import { type AccountId, type PrincipalId, trustedId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage, parseSort } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { CommentRow } from './comment.ts';
import type { Resource } from './resource.ts';

type CommentDocument = Omit<CommentRow, 'id'> & { _id: string };

export type CommentsStore = ReturnType<typeof createCommentsStore>;

/** Owns the `comments` collection. */
export function createCommentsStore(db: Db) {
  const comments = db.collection<CommentDocument>('comments');
  const about = (account_id: AccountId, { resource_type, resource_id }: Resource) => ({ account_id, resource_type, resource_id });

  return {
    prepare: () => prepareCollection(comments, [{ key: { account_id: 1, resource_type: 1, resource_id: 1, created_at: 1, _id: 1 } }], db),

    /** Throws NOT_FOUND. */
    async get(accountId: AccountId, id: string, tx?: Transaction): Promise<CommentRow> {
      const document = await comments.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
      if (!document) throw notFound();
      return rowFrom(document);
    },

    /** Those of these comments that were not deleted. */
    findMany: async (accountId: AccountId, ids: readonly string[]): Promise<CommentRow[]> =>
      (await comments.find({ account_id: accountId, _id: { $in: [...ids] } }).toArray()).map(rowFrom),

    /** Oldest first, as one reads a conversation. */
    async list(
      accountId: AccountId,
      resource: Resource,
      { limit, cursor }: { limit: number; cursor: string | undefined },
      cursors: Cursors,
    ) {
      const { items, pagination } = await findPage({
        collection: comments,
        filter: about(accountId, resource),
        order: parseSort('created_at'),
        limit,
        cursor,
        cursors,
        boundTo: [accountId, 'comments', resource.resource_type, resource.resource_id],
      });
      return { items: items.map(rowFrom), pagination };
    },

    count: (tx: Transaction, accountId: AccountId, resource: Resource) =>
      comments.countDocuments(about(accountId, resource), { session: tx.session }),

    /** The users who have commented on the resource. */
    authors: (tx: Transaction, accountId: AccountId, resource: Resource): Promise<PrincipalId[]> =>
      comments.distinct('author_id', about(accountId, resource), { session: tx.session }),

    async insert(tx: Transaction, { id, ...fields }: CommentRow) {
      await comments.insertOne({ _id: id, ...fields }, { session: tx.session });
    },

    async update(tx: Transaction, { id, account_id, text, mentions, resolved_at, resolved_by, edited_at, revision }: CommentRow) {
      const change = { text, mentions, resolved_at, resolved_by, edited_at, revision };
      await comments.updateOne({ _id: id, account_id }, { $set: change }, { session: tx.session });
    },

    async delete(tx: Transaction, { id, account_id }: CommentRow) {
      await comments.deleteOne({ _id: id, account_id }, { session: tx.session });
    },
  };
}

const rowFrom = ({ _id, ...fields }: CommentDocument): CommentRow => ({ id: trustedId<'comment'>(_id), ...fields });
