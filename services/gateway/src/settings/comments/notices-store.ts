import type { AccountId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage, parseSort } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { createMailQueue, dueIndex, type QueuedMail, waitingMail } from '../mails/mail-queue.ts';
import type { CommentRow } from './comment.ts';
import type { Resource, ResourceType } from './resource.ts';

/** `withdrawn`: the comment no longer mentions the user. */
export type Reason = 'mention' | 'reply' | 'withdrawn';

/** What one user is told about one comment: an email, and for a mention an entry in the dashboard. */
export type Notice = QueuedMail &
  Resource & {
    comment_id: string;
    user_id: string;
    resource_name: string;
    reason: Reason;
    read_at: Date | null;
    created_at: Date;
  };

type Recipient = { user_id: string; reason: Exclude<Reason, 'withdrawn'> };
type Mentions = { types: readonly ResourceType[]; isUnread: boolean };

export type NoticesStore = ReturnType<typeof createNoticesStore>;

const keepSeconds = 90 * 24 * 60 * 60;
const hourMs = 60 * 60 * 1_000;

/** A long discussion must not flood a mailbox. */
const maxPerHour = 100;

/** Owns the `comment_notices` collection. */
export function createNoticesStore(db: Db) {
  const notices = db.collection<Notice>('comment_notices');

  return {
    prepare: () =>
      prepareCollection(
        notices,
        [
          { key: { account_id: 1, user_id: 1, created_at: -1, _id: -1 } },
          { key: { account_id: 1, comment_id: 1 }, name: 'of_comment' },
          dueIndex,
          { key: { created_at: 1 }, name: 'expiry', expireAfterSeconds: keepSeconds },
        ],
        db,
      ),

    queue: createMailQueue(notices),

    /** Tells these users of the comment. A user who has been told of it before gets no second email. */
    async add(
      tx: Transaction,
      { id, account_id, resource_type, resource_id }: CommentRow,
      resource_name: string,
      recipients: Recipient[],
      now: Date,
    ) {
      const since = { $gte: new Date(now.getTime() - hourMs) };
      for (const { user_id, reason } of recipients) {
        const recent = { account_id, user_id, created_at: since };
        const count = await notices.countDocuments(recent, { session: tx.session, limit: maxPerHour });
        const first = {
          ...{ account_id, comment_id: id, user_id, resource_type, resource_id, resource_name, read_at: null, created_at: now },
          ...waitingMail(now),
          ...(count >= maxPerHour && { status: 'failed' as const }),
        };
        const options = { session: tx.session, upsert: true };
        await notices.updateOne({ _id: `${id} ${user_id}` }, { $setOnInsert: first, $set: { reason } }, options);
      }
    },

    /** The comment no longer mentions these users. Those who have not been emailed yet are dropped; a later mention emails them. */
    async withdraw(tx: Transaction, { id, account_id }: CommentRow, userIds: readonly string[]) {
      const which = { account_id, comment_id: id, user_id: { $in: [...userIds] } };
      await notices.deleteMany({ ...which, status: { $in: ['waiting', 'failed'] } }, { session: tx.session });
      await notices.updateMany(which, { $set: { reason: 'withdrawn' } }, { session: tx.session });
    },

    async deleteOf(tx: Transaction, { id, account_id }: CommentRow) {
      await notices.deleteMany({ account_id, comment_id: id }, { session: tx.session });
    },

    async forget(tx: Transaction, { id, account_id }: { id: string; account_id: AccountId }) {
      await notices.deleteMany({ account_id, user_id: id }, { session: tx.session });
    },

    /** The mentions of a user, newest first. */
    mentionsOf(
      accountId: AccountId,
      userId: string,
      { types, isUnread }: Mentions,
      { limit, cursor }: { limit: number; cursor: string | undefined },
      cursors: Cursors,
    ) {
      return findPage({
        collection: notices,
        filter: {
          ...{ account_id: accountId, user_id: userId, reason: 'mention', resource_type: { $in: [...types] } },
          ...(isUnread && { read_at: null }),
        },
        order: parseSort('-created_at'),
        limit,
        cursor,
        cursors,
        boundTo: [accountId, userId, 'mentions', types, isUnread],
      });
    },

    /** Marks the mentions of a user as read: in these comments, or all. Returns how many were unread. */
    async markRead(tx: Transaction, account_id: AccountId, user_id: string, commentIds: readonly string[] | undefined, now: Date) {
      const which = {
        account_id,
        user_id,
        reason: 'mention' as const,
        read_at: null,
        ...(commentIds && { comment_id: { $in: [...commentIds] } }),
      };
      const { modifiedCount } = await notices.updateMany(which, { $set: { read_at: now } }, { session: tx.session });
      return modifiedCount;
    },
  };
}
