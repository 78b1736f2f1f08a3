import { type AccountId, newId, type PrincipalId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage, parseSort } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db, Filter } from 'mongodb';
import type { AuditAction } from './audit-entry.ts';

/** The actor of a change; `id` is null for the command line. */
type Actor = { accountId: AccountId; id: PrincipalId | null };

type Change = { action: AuditAction; target_id: string; details?: Record<string, unknown> };

type Since = { targetId: string; actions: readonly AuditAction[]; since: Date };

export type AuditRow = Change & { _id: string; account_id: AccountId; actor_id: string | null; request_id: string; created_at: Date };

export type AuditFilter = { [member in 'actor_id' | 'action' | 'target_id']?: string | undefined } & {
  from?: Date | undefined;
  to?: Date | undefined;
};

export type AuditLogStore = ReturnType<typeof createAuditLogStore>;

/** The only place that knows the `audit_log` collection. Entries are added and read, never changed. */
export function createAuditLogStore(db: Db) {
  const entries = db.collection<AuditRow>('audit_log');

  return {
    prepare: () =>
      prepareCollection(
        entries,
        [
          { key: { account_id: 1, created_at: -1, _id: -1 } },
          ...(['actor_id', 'action', 'target_id'] as const).map((member) => ({
            key: { account_id: 1, [member]: 1, created_at: -1, _id: -1 },
          })),
        ],
        db,
      ),

    /** Runs in the transaction of the change, so that no change lacks its entry. */
    async add(tx: Transaction, { accountId, id }: Actor, change: Change) {
      const entry = { _id: newId('audit'), account_id: accountId, actor_id: id, ...change };
      await entries.insertOne({ ...entry, request_id: tx.correlationId, created_at: new Date() }, { session: tx.session });
    },

    /** Whether the target has one of these actions since then. For entries repeated from a journal, `details.as_of` is their time. */
    async hasSince(tx: Transaction, accountId: AccountId, { targetId, actions, since }: Since): Promise<boolean> {
      const filter = {
        ...{ account_id: accountId, target_id: targetId, action: { $in: [...actions] }, created_at: { $gte: since } },
        $or: [{ 'details.as_of': { $exists: false } }, { 'details.as_of': { $gte: since.toISOString() } }],
      };
      return (await entries.findOne(filter, { session: tx.session, projection: { _id: 1 } })) !== null;
    },

    list(
      accountId: AccountId,
      { from, to, ...equal }: AuditFilter,
      { limit, cursor }: { limit: number; cursor: string | undefined },
      cursors: Cursors,
    ) {
      const filter: Filter<AuditRow> = { account_id: accountId };
      for (const [member, value] of Object.entries(equal)) if (value !== undefined) Object.assign(filter, { [member]: value });
      if (from || to) filter.created_at = { ...(from && { $gte: from }), ...(to && { $lt: to }) };
      return findPage({
        collection: entries,
        filter,
        order: parseSort('-created_at'),
        limit,
        cursor,
        cursors,
        boundTo: [accountId, 'audit_log', from?.getTime(), to?.getTime(), equal],
      });
    },
  };
}
