import { randomUUID } from 'node:crypto';
import type { AccountId, CampaignId, RecipientId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Db, Filter } from 'mongodb';
import type { LinkTargets } from '../../content/links/link-targets.ts';
import { type Claimed, held, waiting } from './claimed-row.ts';
import { provesDelivery } from './earliest-delivery.ts';
import { hasEngaged } from './engagement-tally.ts';
import { createPostponedRows } from './postponed-rows.ts';
import { pendingStates, type RecipientState } from './recipient.ts';
import { type RecipientDocument, recipientsOf } from './recipient-row.ts';

/** A queue of rows: one campaign, or all workflow emails or all messages of one account. Messages are sent first. */
export type Lane = { key: string; accountId: AccountId; campaignId: CampaignId | null; isUrgent?: boolean };

/** The result of processing a claimed row. */
export type Outcome = {
  row: Claimed;
  state: Extract<RecipientState, 'sent' | 'deferred' | 'bounced' | 'failed' | 'skipped' | 'unknown' | 'queued'>;
  reason: string | null;
  detail: string | null;
  at: Date;
  /** When a deferred or queued row is due again. */
  dueAt?: Date;
  /** The address that the mail server responded about. */
  address?: string;
  /** When the frequency cap that skipped the row allows the next email to the contact. */
  allowedAt?: Date;
};

/** An outcome as it was written. If the recipient engaged with the email before that, the state is `delivered`. */
export type SettledOutcome = Omit<Outcome, 'state'> & {
  state: Outcome['state'] | 'delivered';
  from: RecipientState;
  /** What is added to the row's attempts. */
  attempts: -1 | 0 | 1;
};

/** A row whose email is about to be sent. */
type Started = { row: Claimed; address: string; messageId: string; links?: LinkTargets };

/** The states in which a row accepts each outcome. A late response of the mail server replaces `unknown`. */
const before: Record<Outcome['state'], readonly RecipientState[]> = {
  skipped: ['queued', 'deferred'],
  sent: ['sending', 'unknown'],
  // The mail server can reject the recipient before the row is marked as `sending`.
  deferred: ['queued', 'deferred', 'sending', 'unknown'],
  bounced: ['queued', 'deferred', 'sending', 'unknown'],
  failed: ['queued', 'deferred', 'sending', 'unknown'],
  queued: ['queued', 'deferred', 'sending', 'unknown'],
  unknown: ['sending'],
};

/** The reason of a contact in the hold-out group. */
export const heldOut = 'held_out';

const messages = { category: { $exists: true } };

export type RecipientsQueue = ReturnType<typeof createRecipientsQueue>;

/** The operations of workers on ledger rows. Every write names the claim's token, so that a worker that lost its claim writes nothing. */
export function createRecipientsQueue(db: Db) {
  const recipients = recipientsOf(db);

  /** The accounts of due rows, by a loose index scan. */
  async function accountsWith(rows: Filter<RecipientDocument>, hint: string, { from, most }: { from: AccountId | null; most: number }) {
    const accountIds: AccountId[] = [];
    for (let last = from; accountIds.length < most; ) {
      const next = await recipients.findOne(
        { ...rows, ...(last && { account_id: { $gt: last } }), due_at: { $lte: new Date() } },
        { sort: { account_id: 1 }, projection: { account_id: 1 }, hint },
      );
      if (!next) return { accountIds, last: null };
      last = next.account_id;
      accountIds.push(last);
    }
    return { accountIds, last: accountIds.at(-1) ?? null };
  }

  return {
    ...createPostponedRows(recipients),

    /** Claims up to `limit` due rows for `claimMs`. After an expired claim the row is due again, because nothing was sent. */
    async claim({ accountId, campaignId, isUrgent }: Lane, limit: number, claimMs: number): Promise<Claimed[]> {
      const now = new Date();
      const due = {
        account_id: accountId,
        ...(isUrgent
          ? messages
          : campaignId === null
            ? { source: 'workflow' as const, run_id: { $exists: true } }
            : { source_id: campaignId }),
        due_at: { $lte: now },
      };
      const candidates = await recipients
        .find(due, { projection: { _id: 1 } })
        .sort({ due_at: 1 })
        .limit(limit)
        .toArray();
      if (candidates.length === 0) return [];
      const token = randomUUID();
      const ids = candidates.map(({ _id }) => _id);
      await recipients.updateMany(
        { ...due, _id: { $in: ids }, state: { $in: [...waiting] } },
        { $set: { lease_token: token, due_at: new Date(now.getTime() + claimMs) }, $unset: { waits: '' } },
      );
      const rows = await recipients.find({ account_id: accountId, _id: { $in: ids }, lease_token: token }).toArray();
      return rows.map((row) => ({ ...row, lease_token: token }));
    },

    /** Extends the claim on rows of one account that are still claimed and not being sent yet. */
    async renew(rows: readonly Claimed[], claimMs: number) {
      const [first] = rows;
      if (!first) return;
      await recipients.updateMany(
        {
          account_id: first.account_id,
          _id: { $in: rows.map(({ _id }) => _id) },
          lease_token: first.lease_token,
          state: { $in: [...waiting] },
        },
        { $set: { due_at: new Date(Date.now() + claimMs) } },
      );
    },

    /** Marks rows as `sending` before the first byte of their content is sent. Returns the IDs of those whose claim still held. */
    async startSending(rows: readonly Started[], leaseMs: number): Promise<Set<RecipientId>> {
      if (rows.length === 0) return new Set();
      const now = new Date();
      const lease = new Date(now.getTime() + leaseMs);
      const { modifiedCount } = await recipients.bulkWrite(
        rows.map(({ row, address, messageId, links = {} }) => ({
          updateOne: {
            filter: { ...held(row), state: { $in: [...waiting] }, due_at: { $gt: now } },
            update: {
              $set: {
                ...{ state: 'sending' as const, address, message_id: messageId, reason: null, detail: null },
                ...{ lease_until: lease, handed_at: now, updated_at: now },
                ...(Object.keys(links).length > 0 ? { links } : {}),
              },
              $inc: { attempts: 1 },
              $unset: { due_at: '' },
            },
          },
        })),
        { ordered: false },
      );
      const ids = rows.map(({ row }) => row._id);
      if (modifiedCount === rows.length) return new Set(ids);
      const tokens = new Map(rows.map(({ row }) => [row._id, row.lease_token]));
      const started = await recipients
        .find({ account_id: { $in: rows.map(({ row }) => row.account_id) }, _id: { $in: ids }, state: 'sending' })
        .toArray();
      return new Set(started.filter((row) => row.lease_token === tokens.get(row._id)).map(({ _id }) => _id));
    },

    /** Writes the codes that these rows have been given. Rows whose claim was lost are given the same ones again. */
    async keepCouponCodes(rows: readonly (Claimed & { coupon_code: string })[]) {
      if (rows.length === 0) return;
      await recipients.bulkWrite(
        rows.map((row) => ({ updateOne: { filter: held(row), update: { $set: { coupon_code: row.coupon_code } } } })),
        { ordered: false },
      );
    },

    /** Releases claimed rows, due now by default. */
    async release(rows: readonly Claimed[], dueAt = new Date()) {
      if (rows.length === 0) return;
      await recipients.bulkWrite(
        rows.map((row) => ({
          updateOne: {
            filter: { ...held(row), state: { $in: [...waiting] } },
            update: { $set: { due_at: dueAt }, $unset: { lease_token: '' as const } },
          },
        })),
        { ordered: false },
      );
    },

    /**
     * Writes outcomes and returns those that were written. The rest belong to rows that another worker took over or that
     * are already settled.
     */
    async settle(tx: Transaction, outcomes: readonly Outcome[]): Promise<SettledOutcome[]> {
      const { session } = tx;
      const found = await recipients
        .find(
          {
            account_id: { $in: [...new Set(outcomes.map(({ row }) => row.account_id))] },
            _id: { $in: outcomes.map(({ row }) => row._id) },
          },
          { session, projection: { state: 1, lease_token: 1, address: 1, sent_at: 1, handed_at: 1, tally: 1, engaged_at: 1 } },
        )
        .toArray();
      const current = new Map(found.map((row) => [row._id, row]));
      const ours = outcomes.flatMap((outcome): SettledOutcome[] => {
        const row = current.get(outcome.row._id);
        const isOurs = row?.lease_token === outcome.row.lease_token && before[outcome.state].includes(row.state);
        if (!isOurs) return [];
        const attempts = attemptsOf(outcome, row.state);
        const address = (attempts > 0 && outcome.address) || row.address;
        const settled = { ...outcome, row: { ...outcome.row, address }, from: row.state, attempts };
        if (!isDelivered(row, outcome)) return [settled];
        const at = outcome.state === 'sent' ? outcome.at : (row.handed_at ?? outcome.at);
        return [{ ...settled, state: 'delivered', reason: null, at }];
      });
      if (ours.length > 0) {
        await recipients.bulkWrite(
          ours.map((outcome) => ({
            updateOne: { filter: { ...held(outcome.row), state: outcome.from }, update: updateFor(outcome) },
          })),
          { session, ordered: false },
        );
      }
      return ours;
    },

    /** Rows whose worker died or stalled between sending an email and writing its outcome. */
    async expired(limit: number): Promise<Claimed[]> {
      const rows = await recipients
        .find({ lease_until: { $lt: new Date() }, state: 'sending' })
        .limit(limit)
        .toArray();
      return rows.flatMap(({ lease_token, ...row }) => (lease_token === undefined ? [] : [{ ...row, lease_token }]));
    },

    /** Whether any message or email of a workflow is due later. */
    async hasLaterMessages(): Promise<boolean> {
      const later = { due_at: { $gt: new Date() } };
      const ofWorkflow = { source: 'workflow' as const, run_id: { $exists: true }, ...later };
      const only = { projection: { _id: 1 } };
      const found = await Promise.all([
        recipients.findOne({ ...messages, ...later }, { ...only, hint: 'due_of_messages' }),
        recipients.findOne(ofWorkflow, { ...only, hint: 'due_of_workflows' }),
      ]);
      return found.some((row) => row !== null);
    },

    /** Up to `most` accounts after `from` with due workflow emails. `last` is where the next call continues; null at the end. */
    accountsWithWorkflowMessages: (from: AccountId | null, most = 1_000) =>
      accountsWith({ source: 'workflow', run_id: { $exists: true } }, 'due_of_workflows', { from, most }),

    /** The same for accounts with due messages. */
    accountsWithMessages: (from: AccountId | null, most = 1_000) => accountsWith(messages, 'due_of_messages', { from, most }),
  };
}

/** Whether an engagement in the meantime proves delivery: any engagement if the email was accepted. */
const isDelivered = (row: RecipientDocument, { state }: Outcome) =>
  (state === 'sent' && hasEngaged(row.tally)) || (state === 'unknown' && provesDelivery(row, row.engaged_at));

/** How many attempts the row has more than before. The mark as `sending` counted one, unless nothing was sent after it. */
function attemptsOf({ state, address }: Outcome, from: RecipientState): -1 | 0 | 1 {
  if (state === 'queued') return from === 'sending' ? -1 : 0;
  return address !== undefined && waiting.includes(from) ? 1 : 0;
}

/** Whether the counters include rows in this state; those of waiting rows follow from the others. */
const isCounted = (state: RecipientState) => !pendingStates.some((one) => one === state);

/** An `unknown` row keeps its token, so that its worker can still write a late response until a user decides. */
function updateFor({ row, state, reason, detail, at, dueAt, from, attempts }: SettledOutcome) {
  const keepsToken = state === 'unknown';
  return {
    $set: {
      state,
      reason,
      detail: detail?.slice(0, 1_000) ?? null,
      updated_at: at,
      ...((isCounted(state) || isCounted(from)) && { tally_changed: true as const }),
      ...(state === 'sent' || state === 'delivered' ? { sent_at: at } : {}),
      ...(dueAt ? { due_at: dueAt } : {}),
      ...(attempts > 0 ? { address: row.address } : {}),
      ...(reason === heldOut ? { held_out_at: at } : {}),
    },
    $unset: { lease_until: '' as const, ...(keepsToken ? {} : { lease_token: '' as const }), ...(dueAt ? {} : { due_at: '' as const }) },
    $inc: { attempts },
  };
}
