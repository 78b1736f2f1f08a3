import { type AccountId, newId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Collection, Db } from 'mongodb';
import type { Parts } from '../engagements/parts.ts';
import type { StoredTally, Tally } from '../engagements/tally.ts';
import { type MessageCategory, messageSources, type StoredAttachment } from '../messages/message-category.ts';
import type { LinkTargets } from '../sending/link-targets.ts';
import { provesArrival } from './handed-at.ts';
import { pendingStates, type Recipient, type RecipientState, type StateCounts } from './recipient.ts';

export type RecipientDocument = {
  _id: string;
  account_id: AccountId;
  /** What requested the email: a campaign, or a step of a workflow run. */
  source: 'campaign' | 'workflow' | 'message';
  /** The ID of the campaign or the workflow; `messages` for messages of the API and `tests` for tests of campaigns. */
  source_id: string;
  /** Together with the contact, makes the email unique: the campaign ID, the key of the workflow's effect, or the row's own ID. */
  source_key: string;
  /** Empty for a message to an address that no contact has. */
  contact_id: string;
  /** The ID of the content: the campaign's, or that of a stored content of the workflow. */
  content_id: string;
  run_id?: string;
  /** The other fields of a message. */
  category?: MessageCategory;
  /** The address of a message that names one instead of a contact. */
  to?: string;
  data?: Record<string, unknown>;
  attachments?: StoredAttachment[];
  template?: { id: string; version: number };
  state: RecipientState;
  reason: string | null;
  detail: string | null;
  address: string | null;
  attempts: number;
  message_id: string | null;
  /** When the latest attempt handed it to the mail server. */
  handed_at?: Date;
  sent_at: Date | null;
  /** The targets of links that are not the same in every email. */
  links?: LinkTargets;
  created_at: Date;
  updated_at: Date;
  /** Present while the row waits: when a worker may claim it. A claim moves it to the end of the lease. */
  due_at?: Date;
  /** Present while the row is `sending`: after this time its outcome is unknown. */
  lease_until?: Date;
  /** The fencing token of the worker that claimed it last. */
  lease_token?: string;
  /** The engagements of the recipient; `tally_counted` is the part already in the counters. */
  tally?: StoredTally;
  /** The latest engagement, by a person or a machine. */
  engaged_at?: Date;
  tally_counted?: Tally;
  /** The same by link and by hour. */
  parts?: Parts;
  parts_counted?: Parts;
  tally_changed?: true;
};

export type NewRecipient = Pick<RecipientDocument, 'account_id' | 'source' | 'source_id' | 'source_key' | 'contact_id' | 'content_id'> &
  Partial<Pick<RecipientDocument, 'run_id' | 'category' | 'to' | 'data' | 'attachments' | 'template'>>;

/** Whether the email is only a test, which nothing counts. */
export const isTest = ({ category }: Pick<RecipientDocument, 'category'>) => category === 'test';

/** Whether the email is published: it has a contact, and is not a test. */
export const isPublished = (row: Pick<RecipientDocument, 'category' | 'contact_id'>) => !isTest(row) && row.contact_id !== '';

/** A row that is queued, or skipped if the contact is excluded. */
export function newRecipient(row: NewRecipient, excluded: boolean, now: Date): RecipientDocument {
  return {
    _id: newId('recipient'),
    ...row,
    state: excluded ? 'skipped' : 'queued',
    reason: excluded ? 'excluded' : null,
    detail: null,
    address: null,
    attempts: 0,
    message_id: null,
    sent_at: null,
    created_at: now,
    updated_at: now,
    ...(excluded ? {} : { due_at: now }),
  };
}

export const recipientsOf = (db: Db): Collection<RecipientDocument> => db.collection<RecipientDocument>('recipients');

export type RecipientsStore = ReturnType<typeof createRecipientsStore>;

/** The ledger, as the API reads it and the freezer fills it. The operations of workers are in `recipients-queue.ts`. */
export function createRecipientsStore(db: Db, cursors: Cursors) {
  const recipients = recipientsOf(db);

  return {
    prepare: () =>
      prepareCollection(
        recipients,
        [
          { key: { account_id: 1, source: 1, source_key: 1, contact_id: 1 }, name: 'once', unique: true },
          { key: { account_id: 1, contact_id: 1 }, name: 'of_contact' },
          { key: { account_id: 1, source_id: 1, state: 1, _id: 1 }, name: 'by_state' },
          { key: { account_id: 1, source_id: 1, _id: 1 }, name: 'ledger' },
          { key: { account_id: 1, source_id: 1, due_at: 1 }, name: 'due', partialFilterExpression: { due_at: { $exists: true } } },
          {
            key: { source: 1, account_id: 1, due_at: 1 },
            name: 'due_of_workflows',
            partialFilterExpression: { run_id: { $exists: true } },
          },
          {
            key: { account_id: 1, due_at: 1 },
            name: 'due_of_messages',
            partialFilterExpression: { category: { $exists: true }, due_at: { $exists: true } },
          },
          {
            key: { account_id: 1, 'attachments.id': 1 },
            name: 'attachments',
            partialFilterExpression: { attachments: { $exists: true } },
          },
          {
            key: { account_id: 1, content_id: 1 },
            name: 'contents_of_messages',
            partialFilterExpression: { category: { $exists: true } },
          },
          { key: { lease_until: 1 }, name: 'leases', partialFilterExpression: { lease_until: { $exists: true } } },
          { key: { tally_changed: 1, account_id: 1, source_id: 1 }, name: 'tallies', partialFilterExpression: { tally_changed: true } },
        ],
        db,
      ),

    async insert(tx: Transaction, rows: readonly RecipientDocument[]) {
      if (rows.length > 0) await recipients.insertMany([...rows], { session: tx.session });
    },

    /** Those of these contacts that already have a row of this source. */
    async existing(
      accountId: AccountId,
      source: RecipientDocument['source'],
      key: string,
      contactIds: readonly string[],
      tx?: Transaction,
    ) {
      const rows = await recipients
        .find(
          { account_id: accountId, source, source_key: key, contact_id: { $in: [...contactIds] } },
          { projection: { contact_id: 1 }, hint: 'once', ...(tx && { session: tx.session }) },
        )
        .toArray();
      return new Set(rows.map(({ contact_id }) => contact_id));
    },

    /** The row behind a signed link. */
    findById: (accountId: AccountId, id: string, tx?: Transaction) =>
      recipients.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session }),

    findMessage: (accountId: AccountId, id: string) => recipients.findOne({ _id: id, account_id: accountId, source: 'message' }),

    /** Messages of the API, newest first. */
    listMessages: (
      accountId: AccountId,
      { limit, cursor, state }: { limit: number; cursor?: string | undefined; state?: RecipientState | undefined },
    ) =>
      findPage({
        collection: recipients,
        filter: { account_id: accountId, source_id: messageSources.messages, ...(state && { state }) },
        order: { field: '_id', direction: -1 },
        ...{ limit, cursor, cursors },
        boundTo: ['messages', accountId, state ?? null],
      }),

    /** When the `count`th latest test was requested; undefined if there were fewer. */
    async testBefore(accountId: AccountId, count: number): Promise<Date | undefined> {
      const [row] = await recipients
        .find({ account_id: accountId, source_id: messageSources.tests }, { projection: { created_at: 1 } })
        .sort({ _id: -1 })
        .skip(count - 1)
        .limit(1)
        .toArray();
      return row?.created_at;
    },

    findOfContact: (accountId: AccountId, campaignId: string, contactId: string) =>
      recipients.findOne({ account_id: accountId, source: 'campaign', source_key: campaignId, contact_id: contactId }),

    /** Stores the link targets of a sent email, if the row has none. */
    async keepLinks(tx: Transaction, accountId: AccountId, id: string, links: LinkTargets) {
      const unknown = { _id: id, account_id: accountId, links: { $exists: false } };
      await recipients.updateOne(unknown, { $set: { links } }, { session: tx.session });
    },

    /** Sets the content of a workflow's email whose row was added from a journal without one. */
    async keepContent(tx: Transaction, accountId: AccountId, effectKey: string, contactId: string, contentId: string) {
      const unknown = { account_id: accountId, source: 'workflow' as const, source_key: effectKey, contact_id: contactId, content_id: '' };
      await recipients.updateOne(unknown, { $set: { content_id: contentId } }, { session: tx.session });
    },

    /**
     * Marks an email as delivered, never to be sent again, if an engagement at `at` proves it. Returns the previous row,
     * or null if nothing changed.
     */
    async markDelivered(tx: Transaction, accountId: AccountId, id: string, at: Date): Promise<RecipientDocument | null> {
      const { session } = tx;
      const open = { _id: id, account_id: accountId, $or: [...unproven] };
      const row = await recipients.findOne(open, { session });
      if (!row || (row.state !== 'sent' && !provesArrival(row, at))) return null;
      const { $set, $unset } = settledUpdate('delivered', at);
      const sent_at = row.sent_at ?? row.handed_at ?? at;
      await recipients.updateOne({ ...open, state: row.state }, { $set: { ...$set, sent_at }, $unset }, { session });
      return row;
    },

    /**
     * Settles an email by what a provider or a report says about it, if its state allows. Returns the previous row, or null
     * if nothing changed.
     */
    async settleByFeedback(
      tx: Transaction,
      row: RecipientDocument,
      {
        state,
        reason,
        detail,
        at,
      }: { state: 'delivered' | 'bounced' | 'failed' | 'complained'; reason: string | null; detail: string | null; at: Date },
    ): Promise<RecipientDocument | null> {
      const wasHandedOver = row.handed_at !== undefined || row.state !== 'queued';
      if (!wasHandedOver || !acceptsFeedback(row, state)) return null;
      const { $unset } = settledUpdate('delivered', at);
      const isAccepted = state === 'delivered' || state === 'complained';
      const sent_at = row.sent_at ?? (isAccepted ? (row.handed_at ?? at) : null);
      const { modifiedCount } = await recipients.updateOne(
        { _id: row._id, account_id: row.account_id, state: row.state },
        { $set: { state, reason, sent_at, updated_at: at, ...(detail !== null && { detail: detail.slice(0, 1_000) }) }, $unset },
        { session: tx.session },
      );
      return modifiedCount === 1 ? row : null;
    },

    /** Marks the latest email sent to the contact as `complained`. Returns the previous row. */
    async markComplained(tx: Transaction, accountId: AccountId, contactId: string, at: Date): Promise<RecipientDocument | null> {
      const { session } = tx;
      const sent = { account_id: accountId, contact_id: contactId, state: { $in: ['sent' as const, 'delivered' as const] } };
      const row = await recipients.findOne(sent, { session, sort: { sent_at: -1 } });
      if (row)
        await recipients.updateOne({ _id: row._id, account_id: accountId, state: row.state }, settledUpdate('complained', at), { session });
      return row;
    },

    /** Counts the rows in each state, from the index alone. */
    async countStates(accountId: AccountId, campaignId: string, tx?: Transaction): Promise<StateCounts> {
      const groups = await recipients
        .aggregate<{ _id: RecipientState; count: number }>(
          [{ $match: { account_id: accountId, source_id: campaignId } }, { $group: { _id: '$state', count: { $sum: 1 } } }],
          { hint: 'by_state', ...(tx && { session: tx.session }) },
        )
        .toArray();
      const counts = new Map(groups.map(({ _id, count }) => [_id, count]));
      return countsBy((state) => counts.get(state) ?? 0);
    },

    /** Whether any row can still be sent without a decision by a user. */
    async hasPending(accountId: AccountId, campaignId: string, tx?: Transaction) {
      const row = await recipients.findOne(
        { account_id: accountId, source_id: campaignId, state: { $in: [...pendingStates] } },
        { projection: { _id: 1 }, hint: 'by_state', ...(tx && { session: tx.session }) },
      );
      return row !== null;
    },

    async list(
      accountId: AccountId,
      campaignId: string,
      { limit, cursor, state }: { limit: number; cursor?: string | undefined; state?: RecipientState | undefined },
    ) {
      const { items, pagination } = await findPage({
        collection: recipients,
        filter: { account_id: accountId, source_id: campaignId, ...(state && { state }) },
        order: { field: '_id', direction: 1 },
        limit,
        cursor,
        cursors,
        boundTo: ['ledger', accountId, campaignId, state ?? null],
      });
      return { items: items.map(recipientOf), pagination };
    },

    /** Resolves up to 500 `unknown` rows: queues them again, or leaves them as they are. Returns the number of rows. */
    async resolveUnknown(
      tx: Transaction,
      accountId: AccountId,
      campaignId: string,
      action: 'resend' | 'leave',
      now: Date,
    ): Promise<number> {
      const open = { account_id: accountId, source_id: campaignId, state: 'unknown' as const, reason: { $ne: 'left' } };
      const rows = await recipients
        .find(open, { session: tx.session, projection: { _id: 1 } })
        .limit(500)
        .toArray();
      if (rows.length === 0) return 0;
      const change =
        action === 'leave'
          ? { $set: { reason: 'left', updated_at: now }, $unset: { lease_token: '' as const } }
          : { $set: { state: 'queued' as const, reason: null, due_at: now, updated_at: now }, $unset: { lease_token: '' as const } };
      const ids = rows.map(({ _id }) => _id);
      const { modifiedCount } = await recipients.updateMany({ ...open, _id: { $in: ids } }, change, { session: tx.session });
      return modifiedCount;
    },

    /** The contents and attachments that only messages to these contacts have. */
    async onlyOf(
      tx: Transaction,
      accountId: AccountId,
      contactIds: readonly string[],
    ): Promise<{ contents: string[]; attachments: string[] }> {
      const { session } = tx;
      const messages = { account_id: accountId, category: { $exists: true } };
      const partsOf = (rows: readonly RecipientDocument[]) => ({
        contents: rows.map(({ content_id }) => content_id),
        attachments: rows.flatMap(({ attachments = [] }) => attachments.map(({ id }) => id)),
      });
      const own = partsOf(await recipients.find({ ...messages, contact_id: { $in: [...contactIds] } }, { session }).toArray());
      const others = { ...messages, contact_id: { $nin: [...contactIds] } };
      const kept = new Set<unknown>([
        ...(await recipients.distinct('content_id', { ...others, content_id: { $in: own.contents } }, { session })),
        ...(await recipients.distinct('attachments.id', { ...others, 'attachments.id': { $in: own.attachments } }, { session })),
      ]);
      const alone = (ids: readonly string[]) => [...new Set(ids)].filter((id) => !kept.has(id));
      return { contents: alone(own.contents), attachments: alone(own.attachments) };
    },

    /**
     * Removes addresses, mail server responses, link targets and the data of messages from a contact's rows. The rows stay, so that the sums
     * hold. Returns their IDs.
     */
    async erase(tx: Transaction, accountId: AccountId, contactIds: readonly string[]): Promise<string[]> {
      const { session } = tx;
      const own = { account_id: accountId, contact_id: { $in: [...contactIds] } };
      const rows = await recipients.find(own, { session, projection: { _id: 1 } }).toArray();
      if (rows.length > 0) {
        const $unset = { links: '' as const, to: '' as const, data: '' as const, attachments: '' as const };
        await recipients.updateMany(own, { $set: { address: null, detail: null }, $unset }, { session });
      }
      return rows.map(({ _id }) => _id);
    },

    /** Up to 500 rows of a freeze that failed: none of them was ever handed to a mail server. */
    async neverSent(accountId: AccountId, campaignId: string): Promise<string[]> {
      const rows = await recipients
        .find({ account_id: accountId, source_id: campaignId, ...untouched }, { projection: { _id: 1 }, hint: 'by_state' })
        .limit(500)
        .toArray();
      return rows.map(({ _id }) => _id);
    },

    /** Removes them and returns their number. */
    async removeNeverSent(tx: Transaction, accountId: AccountId, ids: readonly string[]): Promise<number> {
      const { deletedCount } = await recipients.deleteMany(
        { account_id: accountId, _id: { $in: [...ids] }, ...untouched },
        { session: tx.session },
      );
      return deletedCount;
    },

    /** Marks up to 500 waiting rows of a cancelled campaign as skipped. Returns the number of rows. */
    async cancelWaiting(accountId: AccountId, campaignId: string): Promise<number> {
      const waiting = { account_id: accountId, source_id: campaignId, due_at: { $exists: true } };
      const rows = await recipients
        .find(waiting, { projection: { _id: 1 } })
        .limit(500)
        .toArray();
      if (rows.length === 0) return 0;
      const ids = rows.map(({ _id }) => _id);
      await recipients.updateMany(
        { ...waiting, _id: { $in: ids } },
        {
          $set: { state: 'skipped', reason: 'cancelled', updated_at: new Date() },
          $unset: { due_at: '', lease_token: '' },
        },
      );
      return rows.length;
    },
  };
}

/**
 * Emails that may have been delivered without proof; a queued one only if an earlier attempt is unknown. Deferred emails are
 * excluded: a mail server that scans an email opens it and follows its links, although it has not accepted it.
 */
const unproven = [{ state: { $in: ['sent' as const, 'unknown' as const] } }, { state: 'queued' as const, handed_at: { $exists: true } }];

/** Whether the state of the row gives way to this one. An email that was opened or clicked has not bounced. */
function acceptsFeedback({ state, engaged_at }: RecipientDocument, next: 'delivered' | 'bounced' | 'failed' | 'complained'): boolean {
  const unproven = state === 'sent' || state === 'unknown' || state === 'queued';
  if (next === 'delivered') return unproven;
  if (next === 'complained') return unproven || state === 'delivered';
  return unproven || (state === 'delivered' && engaged_at === undefined);
}

/** Rows as the freeze writes them. */
const untouched = {
  state: { $in: ['queued' as const, 'skipped' as const] },
  reason: { $in: [null, 'excluded'] },
  attempts: 0,
};

const settledUpdate = (state: 'delivered' | 'complained', at: Date) => ({
  $set: { state, reason: null, updated_at: at },
  $unset: { due_at: '' as const, lease_until: '' as const, lease_token: '' as const },
});

const countsBy = (count: (state: RecipientState) => number): StateCounts => ({
  queued: count('queued'),
  sending: count('sending'),
  deferred: count('deferred'),
  sent: count('sent'),
  delivered: count('delivered'),
  bounced: count('bounced'),
  complained: count('complained'),
  skipped: count('skipped'),
  failed: count('failed'),
  unknown: count('unknown'),
});

export function recipientOf(row: RecipientDocument): Recipient {
  return {
    id: row._id,
    campaign_id: row.source === 'campaign' ? row.source_id : null,
    contact_id: row.contact_id,
    state: row.state,
    reason: row.reason,
    detail: row.detail,
    address: row.address,
    attempts: row.attempts,
    next_at: row.state === 'deferred' ? (row.due_at?.toISOString() ?? null) : null,
    message_id: row.message_id,
    sent_at: row.sent_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
