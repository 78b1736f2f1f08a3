import { type AccountId, type ContactId, newId, type RecipientId, type RunId, type TemplateId, trustedId } from '@mp/ids';
import type { Collection, Db, IndexDescription } from 'mongodb';
import type { Assignment } from '../../audience/variant-assignment.ts';
import type { LinkTargets } from '../../content/links/link-targets.ts';
import type { Countable } from '../counters/contribution.ts';
import type { BreakdownCounts } from '../engagements/breakdowns.ts';
import type { Conversions } from '../revenue.ts';
import type { StoredTally, Tally } from './engagement-tally.ts';
import type { MessageCategory, StoredAttachment } from './message-category.ts';
import { type PostponeReason, pendingStates, type RecipientState } from './recipient.ts';

export type RecipientDocument = {
  _id: RecipientId;
  account_id: AccountId;
  /** What requested the email: a campaign, or a step of a workflow run. */
  source: 'campaign' | 'workflow' | 'message';
  /** The ID of the campaign or the workflow; `messages` for messages of the API and `tests` for tests of campaigns. */
  source_id: string;
  /** Together with the contact, makes the email unique: the campaign ID, the key of the workflow's effect, or the row's own ID. */
  source_key: string;
  /** Empty for a message to an address that no contact has. */
  contact_id: ContactId;
  /** The ID of the content: the campaign's, or that of a stored content of the workflow. */
  content_id: string;
  run_id?: RunId;
  /** The step of the workflow that requested it. */
  step?: string;
  /** The variant of the step's email, by name. */
  step_variant?: string;
  /** The other fields of a message. Of workflow emails, only transactional ones have a category. */
  category?: MessageCategory;
  /** The address of a message that names one instead of a contact. */
  to?: string;
  data?: Record<string, unknown>;
  /** The `data` and `responses` of the run, as JSON: field names of webhooks can contain what MongoDB does not accept. */
  run_values?: string;
  attachments?: StoredAttachment[];
  template?: { id: TemplateId; version: number };
  /** The variant of the campaign's A/B test that the recipient gets. */
  variant?: string;
  /** The code of the coupon that the content reads, once it was handed out. */
  coupon_code?: string;
  state: RecipientState;
  reason: string | null;
  detail: string | null;
  address: string | null;
  attempts: number;
  message_id: string | null;
  /** When the latest attempt handed it to the mail server. */
  handed_at?: Date;
  sent_at: Date | null;
  /** When the email is to be sent by the schedule of its campaign: in `recipient` mode, the contact's local time. */
  scheduled_for?: Date;
  /** The targets of links that are not the same in every email. */
  links?: LinkTargets;
  created_at: Date;
  updated_at: Date;
  /** Present while the row waits: when a worker may claim it. A claim moves it to the end of the lease. */
  due_at?: Date;
  /** Present while it waits because of a setting: which, and the revision of the settings that said so. */
  waits?: { for: PostponeReason; settings: number };
  /** Since when it has waited for the domain of its address, and until when it waited last. */
  domain_wait?: { from: Date; until: Date };
  /** Present while the row is `sending`: after this time its outcome is unknown. */
  lease_until?: Date;
  /** The fencing token of the worker that claimed it last. */
  lease_token?: string;
  /** The engagements of the recipient. */
  tally?: StoredTally;
  /** The latest engagement, by a person or automated. */
  engaged_at?: Date;
  /** The same by link, hour and device. */
  parts?: BreakdownCounts;
  /** The conversions that followed a click in the email. */
  conversions?: Conversions;
  /** Whether the campaign has a hold-out group, so that what the contact does after the email is compared. */
  compared?: true;
  /** When the email would have been sent, had the contact not been held out. */
  held_out_at?: Date;
  /** The conversions after the email, or after `held_out_at`, whether or not a link was clicked. */
  outcomes?: Conversions;
  /** Whether the counters of the campaign do not include the row as it is; `counted` is the part that they include. */
  tally_changed?: true;
  counted?: Countable;
  /** The counted part of rows that an earlier release counted. */
  tally_counted?: Tally;
  parts_counted?: BreakdownCounts;
};

export type NewRecipient = Pick<RecipientDocument, 'account_id' | 'source' | 'source_id' | 'source_key' | 'contact_id' | 'content_id'> &
  Partial<
    Pick<RecipientDocument, 'run_id' | 'step' | 'step_variant' | 'category' | 'to' | 'data' | 'run_values' | 'attachments' | 'template'>
  >;

/** Whether the email is only a test, which nothing counts. */
/** Whether "stop all sending" holds the email: all but transactional messages of the API, and tests. */
export const isPausable = ({ category, source }: Pick<RecipientDocument, 'category' | 'source'>) =>
  source === 'workflow' ? category !== 'test' : category === undefined || category === 'marketing';

export const isTest = ({ category }: Pick<RecipientDocument, 'category'>) => category === 'test';

/** Whether the email is published: it has a contact, and is not a test. */
/** The `contact_id` of a message to an address that no contact has. */
export const noContact = trustedId<'contact'>('');

export const isPublished = (row: Pick<RecipientDocument, 'category' | 'contact_id'>) => !isTest(row) && row.contact_id !== noContact;

/** The row of a contact in the audience of a campaign with an A/B test: it gets a variant, or waits for the winner. */
export function withAssignment(row: RecipientDocument, assignment: Assignment | undefined): RecipientDocument {
  if (assignment === undefined || row.state !== 'queued') return row;
  const { due_at = row.created_at, scheduled_for, ...others } = row;
  // The winner is sent when it is known, not by the schedule.
  if (assignment === 'rest') return { ...others, reason: 'awaiting_winner' };
  const { variant, delayMinutes } = assignment;
  const delayed = (at: Date) => new Date(at.getTime() + delayMinutes * 60_000);
  const schedule = scheduled_for && { scheduled_for: delayed(scheduled_for) };
  return { ...others, ...schedule, variant, due_at: delayed(due_at), tally_changed: true };
}

/** The group of a campaign with a hold-out group that the row belongs to. Contacts that could not be emailed belong to none. */
export function groupOf({ compared, held_out_at, state }: Pick<RecipientDocument, 'compared' | 'held_out_at' | 'state'>) {
  if (!compared) return undefined;
  if (held_out_at) return 'held_out';
  return state === 'skipped' || pendingStates.some((one) => one === state) ? undefined : 'emailed';
}

/** The row of a scheduled campaign. If the planned time has passed, it is due at once. */
export function withSchedule(row: RecipientDocument, planned: Date | undefined): RecipientDocument {
  if (planned === undefined || row.state !== 'queued') return row;
  return { ...row, scheduled_for: planned, due_at: planned > row.created_at ? planned : row.created_at };
}

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
    ...(excluded ? { tally_changed: true } : { due_at: now }),
  };
}

/** How many seconds after its scheduled time the mail server accepted the email; null unless it has both. */
export const latenessOf = ({ sent_at, scheduled_for }: Pick<RecipientDocument, 'sent_at' | 'scheduled_for'>): number | null =>
  sent_at && scheduled_for ? Math.max(0, Math.round((sent_at.getTime() - scheduled_for.getTime()) / 1_000)) : null;

export const recipientsOf = (db: Db): Collection<RecipientDocument> => db.collection<RecipientDocument>('recipients');

/** Rows whose email the mail server accepted, as a comparison that a partial index and a query can share. */
export const sentFilter = { sent_at: { $gt: new Date(0) } };

export const recipientIndexes: readonly IndexDescription[] = [
  { key: { account_id: 1, source: 1, source_key: 1, contact_id: 1 }, name: 'once', unique: true },
  { key: { account_id: 1, contact_id: 1 }, name: 'of_contact' },
  { key: { account_id: 1, source_id: 1, state: 1, _id: 1 }, name: 'by_state' },
  { key: { account_id: 1, source_id: 1, _id: 1 }, name: 'ledger' },
  // `$gt` and not `$type`, because only a comparison is recognised as one that a query for a reason implies.
  { key: { account_id: 1, source_id: 1, reason: 1, _id: 1 }, name: 'by_reason', partialFilterExpression: { reason: { $gt: '' } } },
  // The last field only makes the key another one than that of `ledger`, which MongoDB 4 requires.
  {
    key: { account_id: 1, source_id: 1, _id: 1, 'tally.opened.human': 1 },
    name: 'opened',
    partialFilterExpression: { 'tally.opened.human': { $gt: 0 } },
  },
  {
    key: { account_id: 1, source_id: 1, _id: 1, 'tally.clicked.human': 1 },
    name: 'clicked',
    partialFilterExpression: { 'tally.clicked.human': { $gt: 0 } },
  },
  {
    key: { account_id: 1, source_id: 1, _id: 1, 'conversions.count': 1 },
    name: 'converted',
    partialFilterExpression: { 'conversions.count': { $gt: 0 } },
  },
  { key: { account_id: 1, source_id: 1, 'tally.opened.human': 1, _id: 1 }, name: 'not_opened', partialFilterExpression: sentFilter },
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
    key: { account_id: 1, 'waits.settings': 1 },
    name: 'waits',
    partialFilterExpression: { 'waits.settings': { $exists: true }, due_at: { $exists: true } },
  },
  {
    key: { account_id: 1, 'attachments.id': 1 },
    name: 'attachments',
    partialFilterExpression: { attachments: { $exists: true } },
  },
  {
    key: { account_id: 1, source_id: 1, reason: 1 },
    name: 'awaiting_winner',
    partialFilterExpression: { reason: 'awaiting_winner' },
  },
  { key: { account_id: 1, contact_id: 1, _id: 1 }, name: 'compared', partialFilterExpression: { compared: true } },
  { key: { account_id: 1, sent_at: 1 }, name: 'unproven', partialFilterExpression: { state: 'sent' } },
  { key: { lease_until: 1 }, name: 'leases', partialFilterExpression: { lease_until: { $exists: true } } },
  { key: { tally_changed: 1, account_id: 1, source_id: 1 }, name: 'tallies', partialFilterExpression: { tally_changed: true } },
];
