import type { JournalOf } from '@mp/contracts/journal';
import { type RecipientId, trustedId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { pendingStates } from './recipient.ts';
import { newRecipient, noContact, type RecipientDocument, recipientsOf } from './recipient-row.ts';

export type Left = JournalOf<'message'>;

/** A ledger row and its entry in the journal. */
export type Settled = { row: RecipientDocument; left: Left };

export type RestoredRows = ReturnType<typeof createRestoredRows>;

/** The states from which an email can still be sent, automatically or by a user's decision. */
const undecided = [...pendingStates, 'unknown'] as const;

/** The unique key of an email within its campaign or its workflow's effect; undefined if the entry does not have it. */
const onceOf = ({ account_id, campaign_id, effect_key, contact_id }: Left) => {
  const source_key = campaign_id ?? effect_key;
  const source: RecipientDocument['source'] = campaign_id === null ? 'workflow' : 'campaign';
  return source_key === undefined ? undefined : { account_id, source, source_key, contact_id };
};

/** A key that is equal for two entries of the same ledger row. */
export const occasionOf = (left: Left) => Object.values(onceOf(left) ?? { id: left.recipient_id }).join(' ');

/** Brings the ledger of a restored backup up to date with the emails sent since. */
export function createRestoredRows(db: Db) {
  const recipients = recipientsOf(db);

  return {
    /** The rows of these emails by recipient ID. A row may have another ID if it is for the same contact and the same occasion. */
    async find(tx: Transaction, messages: readonly Left[]): Promise<ReadonlyMap<RecipientId, RecipientDocument>> {
      const either = messages.flatMap((left) => [{ _id: left.recipient_id, account_id: left.account_id }, onceOf(left) ?? []].flat());
      const rows = await recipients.find({ $or: either }, { session: tx.session }).toArray();
      const byId = new Map(rows.map((row) => [row._id, row]));
      const byOccasion = new Map(rows.map((row) => [[row.account_id, row.source, row.source_key, row.contact_id].join(' '), row]));
      return new Map(
        messages.flatMap((left) => {
          const row = byId.get(left.recipient_id) ?? byOccasion.get(occasionOf(left));
          return row ? [[left.recipient_id, row] as const] : [];
        }),
      );
    },

    canStillLeave: ({ state }: RecipientDocument) => undecided.some((one) => one === state),

    /** Writes the outcomes of rows that are still waiting in the backup. */
    async settle(tx: Transaction, settled: readonly Settled[]) {
      if (settled.length === 0) return;
      await recipients.bulkWrite(
        settled.map(({ row, left }) => ({
          updateOne: {
            filter: { _id: row._id, account_id: row.account_id, state: { $in: [...undecided] } },
            update: {
              $set: { ...outcomeOf(left), updated_at: new Date(), tally_changed: true },
              $unset: { due_at: '' as const, lease_until: '' as const, lease_token: '' as const },
            },
          },
        })),
        { session: tx.session, ordered: false },
      );
    },

    /**
     * Marks waiting messages to addresses without a contact as `unknown`: the journal does not say whether they were sent
     * after the backup.
     */
    async markUnrecorded() {
      const waiting = { account_id: { $exists: true }, category: { $exists: true }, due_at: { $exists: true }, contact_id: noContact };
      await recipients.updateMany(waiting, {
        $set: { state: 'unknown', reason: 'restored', updated_at: new Date(), tally_changed: true },
        $unset: { due_at: '', lease_token: '' },
      });
    },

    /**
     * Adds the rows that the backup does not have, with their original IDs, so that the links in those emails stay valid.
     * Link targets are rendered when a link is followed (`engagement/links-of-row.ts`); the content of a workflow's email is set
     * when its run requests the email again.
     */
    async add(tx: Transaction, messages: readonly Left[]): Promise<Settled[]> {
      const added = messages.flatMap((left) => {
        const once = onceOf(left);
        return once ? [{ row: rowOf(left, once), left }] : [];
      });
      if (added.length > 0)
        await recipients.insertMany(
          added.map(({ row }) => row),
          { session: tx.session },
        );
      return added;
    },
  };
}

const outcomeOf = ({ state, at }: Left) => ({
  state,
  reason: state === 'sent' ? null : state === 'bounced' ? 'bad_address' : 'refused',
  sent_at: state === 'sent' ? new Date(at) : null,
});

function rowOf(left: Left, once: NonNullable<ReturnType<typeof onceOf>>): RecipientDocument {
  const { campaign_id, workflow_id, effect_key, at, recipient_id } = left;
  const [run_id] = effect_key?.split(':') ?? [];
  const { due_at: _, ...row } = newRecipient(
    {
      ...once,
      source_id: campaign_id ?? workflow_id ?? '',
      content_id: campaign_id ?? '',
      ...(run_id !== undefined && { run_id: trustedId<'run'>(run_id) }),
    },
    false,
    new Date(at),
  );
  return { ...row, _id: recipient_id, attempts: 1, tally_changed: true, ...outcomeOf(left) };
}
