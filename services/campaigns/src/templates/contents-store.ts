import { createHash } from 'node:crypto';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { campaignsOf } from '../campaigns/campaigns-store.ts';
import type { RecipientDocument } from '../recipients/recipients-store.ts';
import { MessageContent } from './message-content.ts';
import { type TrackedLink, trackedLinks } from './tracked-links.ts';

/** The content of workflow steps, each once: many runs send the same one. */
type ContentDocument = { _id: string; account_id: string; content: MessageContent; created_at: Date };

/** What a mail is made from, the name of the campaign it belongs to, and its links that are followed through us. */
export type SendableContent = { content: MessageContent; name: string; links: readonly TrackedLink[] };

export type ContentsStore = ReturnType<typeof createContentsStore>;

const maxKept = 200;

/** What ledger rows say: the content of their campaign, which no longer changes once it has rows, or of a workflow's step. */
export function createContentsStore(db: Db) {
  const contents = db.collection<ContentDocument>('contents');
  const campaigns = campaignsOf(db);
  const kept = new Map<string, SendableContent>();

  async function load({ source, account_id, content_id }: RecipientDocument): Promise<SendableContent | undefined> {
    if (source === 'workflow') {
      const document = await contents.findOne({ _id: content_id, account_id });
      return document ? sendable(document.content, '') : undefined;
    }
    const campaign = await campaigns.findOne({ _id: content_id, account_id });
    return campaign ? sendable(MessageContent.parse(campaign), campaign.name) : undefined;
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

    /** Undefined when it is gone. Read once and kept for a while. */
    async of(row: RecipientDocument): Promise<SendableContent | undefined> {
      const key = `${row.account_id} ${row.content_id}`;
      const known = kept.get(key) ?? (await load(row));
      if (!known) return undefined;
      kept.delete(key);
      kept.set(key, known);
      for (const oldest of kept.keys()) {
        if (kept.size <= maxKept) break;
        kept.delete(oldest);
      }
      return known;
    },
  };
}

const sendable = (content: MessageContent, name: string): SendableContent => ({
  content,
  name,
  links: content.track.clicks ? trackedLinks(content.html) : [],
});
