import { createHash } from 'node:crypto';
import type { AccountId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import { Binary, type Db } from 'mongodb';
import type { StoredAttachment } from '../ledger/recipients/message-category.ts';

type AttachmentDocument = { _id: string; account_id: AccountId; content: Binary; used_at: Date };

/** An attachment is removed this long after its latest message was requested. */
const keptSeconds = 30 * 24 * 60 * 60;

export type AttachmentsStore = ReturnType<typeof createAttachmentsStore>;

/** The contents of attachments. Messages with the same file share it. */
export function createAttachmentsStore(db: Db) {
  const attachments = db.collection<AttachmentDocument>('attachments');

  return {
    prepare: () =>
      prepareCollection(attachments, [{ key: { used_at: 1 }, expireAfterSeconds: keptSeconds }, { key: { account_id: 1 } }], db),

    /** Stores a file and returns its ID. Before the message is written, because a transaction could not hold it. */
    async keep(accountId: AccountId, content: Buffer): Promise<string> {
      const _id = createHash('sha256').update(`${accountId}\n`).update(content).digest('base64url');
      await attachments.updateOne(
        { _id, account_id: accountId },
        { $set: { used_at: new Date() }, $setOnInsert: { content: new Binary(content) } },
        { upsert: true },
      );
      return _id;
    },

    async remove(tx: Transaction, accountId: AccountId, ids: readonly string[]) {
      if (ids.length > 0) await attachments.deleteMany({ account_id: accountId, _id: { $in: [...ids] } }, { session: tx.session });
    },

    /** The contents of these attachments, in order; undefined if one no longer exists. */
    async load(accountId: AccountId, wanted: readonly StoredAttachment[]) {
      const rows = await attachments.find({ account_id: accountId, _id: { $in: wanted.map(({ id }) => id) } }).toArray();
      const byId = new Map(rows.map(({ _id, content }) => [_id, content.buffer]));
      const found = wanted.flatMap(({ id, filename, content_type }) => {
        const content = byId.get(id);
        return content ? [{ filename, contentType: content_type, content }] : [];
      });
      return found.length === wanted.length ? found : undefined;
    },
  };
}
