import { createHash } from 'node:crypto';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { campaignsOf } from '../campaigns/campaigns-store.ts';
import type { RecipientDocument } from '../recipients/recipients-store.ts';
import { MessageContent } from './message-content.ts';
import { type CompiledMessage, compileMessage } from './render-message.ts';

/** The content of workflow steps, each once: many runs send the same one. */
type ContentDocument = { _id: string; account_id: string; content: MessageContent; created_at: Date };

/** A content ready for rendering, and the name of the campaign it belongs to. */
export type SendableContent = { message: CompiledMessage; name: string };

export type ContentsStore = ReturnType<typeof createContentsStore>;

const compiledMax = 200;

/** What ledger rows say: the content of their campaign, which no longer changes once it has rows, or of a workflow's step. */
export function createContentsStore(db: Db) {
  const contents = db.collection<ContentDocument>('contents');
  const campaigns = campaignsOf(db);
  const compiled = new Map<string, SendableContent>();

  async function load({ source, account_id, content_id }: RecipientDocument): Promise<SendableContent | undefined> {
    if (source === 'workflow') {
      const document = await contents.findOne({ _id: content_id, account_id });
      return document ? { message: compileMessage(document.content), name: '' } : undefined;
    }
    const campaign = await campaigns.findOne({ _id: content_id, account_id });
    return campaign ? { message: compileMessage(MessageContent.parse(campaign)), name: campaign.name } : undefined;
  }

  return {
    prepare: () => prepareCollection(contents, [{ key: { account_id: 1, _id: 1 } }], db),

    /** Keeps the content of a workflow's step and returns its id: the same content has the same id. */
    async keep(tx: Transaction, accountId: string, content: MessageContent): Promise<string> {
      const _id = createHash('sha256')
        .update(`${accountId}\n${JSON.stringify(content)}`)
        .digest('base64url');
      await contents.updateOne(
        { _id, account_id: accountId },
        { $setOnInsert: { content, created_at: new Date() } },
        { upsert: true, session: tx.session },
      );
      return _id;
    },

    /** Compiled once and kept for a while. Undefined when it is gone; throws VALIDATION_ERROR when it does not compile. */
    async of(row: RecipientDocument): Promise<SendableContent | undefined> {
      const key = `${row.account_id} ${row.content_id}`;
      const known = compiled.get(key) ?? (await load(row));
      if (!known) return undefined;
      compiled.delete(key);
      compiled.set(key, known);
      for (const [oldest] of compiled) {
        if (compiled.size <= compiledMax) break;
        compiled.delete(oldest);
      }
      return known;
    },
  };
}
