import { AuditEntryCreated } from '@mp/contracts/events/platform';
import { type AccountId, newId, type PrincipalId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage, parseSort } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Db, Filter } from 'mongodb';
import type { AccountsStore, AuditChain } from '../accounts/accounts-store.ts';
import type { AuditAction } from './audit-action.ts';
import { brokenEntry, type ChainedRow, type ChainProblem, entryHash, insertedEntry, isChained } from './audit-chain.ts';
import { entryView } from './audit-entry.ts';
import type { AuditRow, Change } from './audit-row.ts';

/** The actor of a change; `id` is null for the command line. */
type Actor = { accountId: AccountId; id: PrincipalId | null };

type Since = { targetId: string; actions: readonly AuditAction[]; since: Date };

/** What a look at the whole chain found. */
export type Verification = { entries: number; head: Pick<AuditChain, 'sequence' | 'hash'>; broken: ChainProblem | undefined };

/** Between two batches, other requests have their turn: a batch of usual size would hold the event loop for hundreds of milliseconds. */
const batchSize = 250;

const beginning: AuditChain = { sequence: 0, hash: null };

export type AuditFilter = { [member in 'actor_id' | 'action' | 'target_id']?: string | undefined } & {
  from?: Date | undefined;
  to?: Date | undefined;
};

export type AuditLogStore = ReturnType<typeof createAuditLogStore>;

type Accounts = Pick<AccountsStore, 'auditChain' | 'extendAuditChain' | 'setAuditChain'>;

/**
 * Owns the `audit_log` collection. Entries are added and read, never changed; each has the hash of the one before
 * in its own.
 */
export function createAuditLogStore(db: Db, accounts: Accounts, outbox: Pick<Outbox, 'add'>) {
  const entries = db.collection<AuditRow>('audit_log');

  /** Entries that the chain does not hold: of version 0.1.0, or inserted. */
  const outside = (accountId: AccountId, deleted: Pick<AuditChain, 'sequence'> = beginning): Filter<AuditRow> => ({
    ...{ account_id: accountId, sequence: { $not: { $gt: deleted.sequence } } },
  });

  /** Reads the whole chain, and looks for entries outside it. Entries that are added meanwhile are not part of it. */
  async function verify(accountId: AccountId): Promise<Verification> {
    // Before the head, which is then at least as new.
    const [newest] = await entries
      .find({ account_id: accountId, sequence: { $gt: 0 } })
      .sort({ sequence: -1 })
      .limit(1)
      .toArray();
    const { deleted = beginning, unchained, ...head } = (await accounts.auditChain(accountId)) ?? beginning;
    const own = { account_id: accountId, sequence: { $gt: deleted.sequence, $lte: head.sequence } };
    const others = await entries.countDocuments(outside(accountId, deleted));
    const broken =
      (await brokenEntry(entries.find<ChainedRow>(own, { batchSize }).sort({ sequence: 1 }), deleted, head)) ??
      insertedEntry({ newest: newest?.sequence ?? 0, head: head.sequence, others, expected: unchained ?? others });
    // Entries that became too old may have been deleted meanwhile.
    const after = broken && (await accounts.auditChain(accountId));
    if (after && ((after.deleted?.sequence ?? 0) > deleted.sequence || after.unchained !== unchained)) return verify(accountId);
    return { entries: head.sequence - deleted.sequence, head, broken };
  }

  return {
    prepare: () =>
      prepareCollection(
        entries,
        [
          { key: { account_id: 1, created_at: -1, _id: -1 } },
          ...(['actor_id', 'action', 'target_id'] as const).map((member) => ({
            key: { account_id: 1, [member]: 1, created_at: -1, _id: -1 },
          })),
          { key: { account_id: 1, sequence: 1 }, unique: true, partialFilterExpression: { sequence: { $exists: true } } },
        ],
        db,
      ),

    /** Adds and publishes the entry in the transaction of the change, so that no change lacks it. */
    async add(tx: Transaction, { accountId, id }: Actor, { details = {}, ...change }: Change) {
      const { sequence, hash: previous } = await accounts.extendAuditChain(tx, accountId);
      const entry = {
        ...{ _id: newId('audit'), account_id: accountId, actor_id: id, ...change, request_id: tx.correlationId, sequence },
        ...{ created_at: new Date(), details: JSON.parse(JSON.stringify(details)) },
      };
      const hash = entryHash(previous, entry);
      await entries.insertOne({ ...entry, hash }, { session: tx.session });
      const first = sequence === 1 && { unchained: await entries.countDocuments(outside(accountId), { session: tx.session }) };
      await accounts.setAuditChain(tx, accountId, { hash, ...first });
      await outbox.add(tx, AuditEntryCreated, accountId, { ...entryView(entry), sequence, hash });
    },

    verify,

    has: async (account_id: AccountId, hash: string) => (await entries.findOne({ account_id, hash }, { projection: { _id: 1 } })) !== null,

    /** Deletes what is older than this, up to `most` entries. Returns whether there may be more. */
    async deleteBefore(tx: Transaction, accountId: AccountId, at: Date, most: number): Promise<boolean> {
      const old = { account_id: accountId, created_at: { $lt: at } };
      const found = await entries.find(old, { session: tx.session }).sort({ created_at: 1, _id: 1 }).limit(most).toArray();
      const { deleted = beginning, unchained } = (await accounts.auditChain(accountId, tx)) ?? beginning;
      const chained = found.filter(isChained).filter(({ sequence }) => sequence > deleted.sequence);
      const [last] = chained.toSorted((a, b) => b.sequence - a.sequence);
      const ids = { _id: { $in: found.map(({ _id }) => _id) } };
      // Also what is before it in the chain, if the clocks of two gateways differ.
      const before = last ? [{ account_id: accountId, sequence: { $gt: deleted.sequence, $lte: last.sequence } }] : [];
      await entries.deleteMany({ $or: [ids, ...before] }, { session: tx.session });
      const others = found.length - chained.length;
      const left = unchained !== undefined && others > 0 && { unchained: Math.max(0, unchained - others) };
      const deletion = last && { deleted: { sequence: last.sequence, hash: last.hash } };
      if (left || deletion) await accounts.setAuditChain(tx, accountId, { ...left, ...deletion });
      return found.length === most;
    },

    /** All entries that match, oldest first. */
    all: (accountId: AccountId, filter: AuditFilter) =>
      entries.find(filterOf(accountId, filter), { batchSize }).sort({ created_at: 1, _id: 1 }),

    /** Whether the target has one of these actions since then. For entries repeated from a journal, `details.as_of` is their time. */
    async hasSince(tx: Transaction, accountId: AccountId, { targetId, actions, since }: Since): Promise<boolean> {
      const filter = {
        ...{ account_id: accountId, target_id: targetId, action: { $in: [...actions] }, created_at: { $gte: since } },
        $or: [{ 'details.as_of': { $exists: false } }, { 'details.as_of': { $gte: since.toISOString() } }],
      };
      return (await entries.findOne(filter, { session: tx.session, projection: { _id: 1 } })) !== null;
    },

    list(accountId: AccountId, filter: AuditFilter, { limit, cursor }: { limit: number; cursor: string | undefined }, cursors: Cursors) {
      const { from, to, ...equal } = filter;
      return findPage({
        collection: entries,
        filter: filterOf(accountId, filter),
        order: parseSort('-created_at'),
        limit,
        cursor,
        cursors,
        boundTo: [accountId, 'audit_log', from?.getTime(), to?.getTime(), equal],
      });
    },
  };
}

function filterOf(account_id: AccountId, { from, to, ...equal }: AuditFilter): Filter<AuditRow> {
  const filter: Filter<AuditRow> = { account_id };
  for (const [member, value] of Object.entries(equal)) if (value !== undefined) Object.assign(filter, { [member]: value });
  if (from || to) filter.created_at = { ...(from && { $gte: from }), ...(to && { $lt: to }) };
  return filter;
}
