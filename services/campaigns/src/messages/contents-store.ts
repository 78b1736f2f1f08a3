import { createHash } from 'node:crypto';
import { type TrackedLink, trackedLinks } from '@mp/contracts/tracked-links';
import { type AccountId, trustedId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { asVariant } from '../ab-tests/ab-test.ts';
import type { Timed } from '../audience/local-time.ts';
import { campaignsOf } from '../campaigns/campaigns-store.ts';
import { utmParameters, withParameters } from '../content/links/utm.ts';
import { MessageContent } from '../content/message-content.ts';
import type { RecipientDocument } from '../ledger/recipients/recipient-row.ts';

/** The contents of workflow steps and messages. */
type ContentDocument = { _id: string; account_id: AccountId; content: MessageContent; name?: string; created_at: Date };

/** The content of an email, the name of its campaign (empty for a workflow), its tracked links, the schedule if it is by local time, and the share of its hold-out group. */
export type SendableContent = {
  content: MessageContent;
  name: string;
  links: readonly TrackedLink[];
  /** In `recipient` mode, with the delay of each variant of the A/B test. */
  schedule?: Timed & { delayMs: Readonly<Record<string, number>> };
  holdoutPercent?: number;
};

/**
 * What a content is stored for: a step of a workflow, a template that messages use, a test email of a campaign (by name), or one message
 * that brought its own content. Only the last is personal data: no other email shares it, and it is removed when its contact is erased.
 */
type Origin = { source: 'workflow' | 'template' } | { test_of: string } | { message_id: string };

type ContentOf = Pick<RecipientDocument, 'source' | 'account_id' | 'content_id' | 'variant'>;

export type ContentsStore = ReturnType<typeof createContentsStore>;

const maxKept = 200;

/** The contents of ledger rows: a campaign's, which cannot change once the campaign has rows, or a workflow step's. */
export function createContentsStore(db: Db) {
  const contents = db.collection<ContentDocument>('contents');
  const campaigns = campaignsOf(db);
  const kept = new Map<string, SendableContent>();

  async function load({ source, account_id, content_id, variant }: ContentOf): Promise<SendableContent | undefined> {
    if (source !== 'campaign') {
      const document = await contents.findOne({ _id: content_id, account_id });
      return document ? sendable(MessageContent.parse(document.content), document.name ?? '') : undefined;
    }
    const campaign = await campaigns.findOne({ _id: trustedId<'campaign'>(content_id), account_id });
    if (!campaign) return undefined;
    const { timezone_mode = 'fixed', fallback_timezone = null, schedule_at, holdout_percent, ab_test } = campaign;
    const content = {
      ...sendable(MessageContent.parse(asVariant(campaign, variant)), campaign.name),
      ...(holdout_percent && { holdoutPercent: holdout_percent }),
    };
    if (timezone_mode === 'fixed') return content;
    const delayMs = Object.fromEntries((ab_test?.variants ?? []).map(({ id, delay_minutes }) => [id, delay_minutes * 60_000]));
    return { ...content, schedule: { timezone_mode, fallback_timezone, schedule_at, delayMs } };
  }

  return {
    prepare: () => prepareCollection(contents, [{ key: { account_id: 1, _id: 1 } }], db),

    /** Stores the content of an email that is not a campaign's and returns its ID. Equal contents from the same origin have the same ID. */
    async keep(tx: Transaction, accountId: AccountId, content: MessageContent, origin: Origin): Promise<string> {
      const name = 'test_of' in origin ? origin.test_of : undefined;
      const _id = createHash('sha256')
        .update(JSON.stringify([accountId, origin, content]))
        .digest('base64url');
      await contents.updateOne(
        { _id, account_id: accountId },
        { $setOnInsert: { content, ...(name !== undefined && { name }), created_at: new Date() } },
        { upsert: true, session: tx.session },
      );
      return _id;
    },

    /** Removes contents and, in this process, what is kept of them. */
    async remove(tx: Transaction, accountId: AccountId, ids: readonly string[]) {
      if (ids.length === 0) return;
      await contents.deleteMany({ account_id: accountId, _id: { $in: [...ids] } }, { session: tx.session });
      tx.afterCommit(() => {
        for (const id of ids) kept.delete(`${accountId} ${id} `);
      });
    },

    /** The content of a row, from a cache or the database; undefined if it no longer exists. */
    async of(row: ContentOf): Promise<SendableContent | undefined> {
      const key = `${row.account_id} ${row.content_id} ${row.variant ?? ''}`;
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

function sendable(content: MessageContent, name: string): SendableContent {
  const utm = content.utm && utmParameters(content.utm, name);
  const links = content.track.clicks ? trackedLinks(content.html) : [];
  const tagged = ({ target }: TrackedLink) => ({ target: target !== null && utm ? withParameters(target, utm) : target });
  return { content, name, links: links.map(tagged) };
}
