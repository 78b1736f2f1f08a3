import type { AccountId, ContactId, WorkflowId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { Entrant } from '../runs/new-run.ts';

/** What triggers a run, if its contact matches the rule of the trigger. */
export type Triggered = {
  accountId: AccountId;
  workflowId: WorkflowId;
  /** Null if it enters without an event. */
  eventId: string | null;
  /** That of the event; null without an event. */
  correlationId: string | null;
  entrant: Entrant & Required<Pick<Entrant, 'at' | 'key' | 'chain'>>;
};

type CandidateDocument = {
  _id: string;
  account_id: AccountId;
  workflow_id: WorkflowId;
  event_id: string | null;
  /** Absent in candidates from before this was stored. */
  correlation_id?: string | null;
  contact_id: ContactId;
  /** When it happened. */
  at: Date;
  key: string;
  chain: string | null;
  revision: number;
  after: readonly string[];
  /** JSON, because property names can contain characters that MongoDB 4.0 does not accept. */
  data: string;
  added_at: Date;
  asked: number;
  /** When a worker can claim it: its next attempt, or the end of the current lease. */
  due_at: Date;
};

export type Candidate = Triggered & { id: string; addedAt: Date; attempts: number; leaseUntil: Date };
export type CandidatesStore = ReturnType<typeof createCandidatesStore>;

/** Owns the `candidates` collection: contacts that start a run if they match the rule of its trigger. */
export function createCandidatesStore(db: Db, clock: () => Date) {
  const candidates = db.collection<CandidateDocument>('candidates');
  const listeners = new Set<() => void>();
  const own = ({ id, accountId, leaseUntil }: Candidate) => ({ _id: id, account_id: accountId, due_at: leaseUntil });

  return {
    prepare: () => prepareCollection(candidates, [{ key: { account_id: 1, due_at: 1 } }, { key: { account_id: 1, contact_id: 1 } }], db),

    /** Calls the listener after each commit that added one. */
    onAdded(listener: () => void) {
      listeners.add(listener);
    },

    /** Adds each candidate once per workflow and cause. */
    async add(tx: Transaction, triggered: readonly Triggered[]): Promise<void> {
      if (triggered.length === 0) return;
      const now = clock();
      const updates = triggered.map(({ accountId, workflowId, eventId, correlationId, entrant }) => {
        const { contactId, at, key, chain, revision = 0, after = [], data = {} } = entrant;
        const row = {
          ...{ workflow_id: workflowId, event_id: eventId, correlation_id: correlationId },
          ...{ contact_id: contactId, at, key, chain, revision, after },
          ...{ data: JSON.stringify(data), added_at: now, asked: 0, due_at: now },
        };
        const filter = { _id: `${workflowId} ${key} ${contactId}`, account_id: accountId };
        return { updateOne: { filter, update: { $setOnInsert: row }, upsert: true } };
      });
      await candidates.bulkWrite(updates, { session: tx.session, ordered: false });
      tx.afterCommit(() => {
        for (const listener of listeners) listener();
      });
    },

    /** The next account, in id order, that has a due candidate. */
    async accountAfter(after: AccountId | null, now: Date, without: readonly AccountId[]): Promise<AccountId | undefined> {
      const found = await candidates.findOne(
        { account_id: { ...(after !== null && { $gt: after }), $nin: [...without] }, due_at: { $lte: now } },
        { sort: { account_id: 1 }, projection: { account_id: 1 } },
      );
      return found?.account_id;
    },

    /** Whether there is any, due or not. */
    hasAny: async () => (await candidates.findOne({}, { projection: { _id: 1 } })) !== null,

    /** Claims up to `limit` due candidates of an account until the lease ends. */
    async claim(accountId: AccountId, { now, leaseUntil, limit }: { now: Date; leaseUntil: Date; limit: number }): Promise<Candidate[]> {
      const due = await candidates
        .find({ account_id: accountId, due_at: { $lte: now } })
        .sort({ due_at: 1 })
        .limit(limit)
        .toArray();
      const claimed = await Promise.all(
        due.map(({ _id, due_at }) =>
          candidates.findOneAndUpdate({ _id, account_id: accountId, due_at }, { $set: { due_at: leaseUntil }, $inc: { asked: 1 } }),
        ),
      );
      return claimed.flatMap((row) => (row ? [{ ...candidateOf(row), leaseUntil }] : []));
    },

    /** Lets it be claimed again at this time. */
    postpone: (candidate: Candidate, until: Date) => candidates.updateOne(own(candidate), { $set: { due_at: until } }),

    /** Returns false when another worker has claimed it by now. */
    async remove(candidate: Candidate, tx?: Transaction): Promise<boolean> {
      return (await candidates.deleteOne(own(candidate), tx && { session: tx.session })).deletedCount === 1;
    },

    erase: (tx: Transaction, accountId: AccountId, contactIds: readonly ContactId[]) =>
      candidates.deleteMany({ account_id: accountId, contact_id: { $in: [...contactIds] } }, { session: tx.session }),
  };
}

const candidateOf = ({
  _id,
  account_id,
  workflow_id,
  event_id,
  correlation_id = null,
  contact_id,
  data,
  added_at,
  asked,
  at,
  key,
  chain,
  revision,
  after,
}: CandidateDocument) => ({
  id: _id,
  accountId: account_id,
  workflowId: workflow_id,
  eventId: event_id,
  correlationId: correlation_id,
  entrant: { contactId: contact_id, at, key, chain, revision, after, data: JSON.parse(data) },
  addedAt: added_at,
  attempts: asked,
});
