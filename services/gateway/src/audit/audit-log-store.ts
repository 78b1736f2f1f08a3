import { newId } from '@mp/ids';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';

/** What was done to the settings, and by whom; `actor_id` null: the command line. */
type AuditEntry = {
  account_id: string;
  actor_id: string | null;
  action: 'account.created' | 'account.changed' | 'api_key.created' | 'api_key.revoked' | 'user.signed_in' | 'user.signed_out';
  target_id: string;
  details?: Record<string, unknown>;
};

type AuditDocument = AuditEntry & { _id: string; request_id: string; at: Date };

export type AuditLogStore = ReturnType<typeof createAuditLogStore>;

/** The only place that knows the `audit_log` collection. */
export function createAuditLogStore(db: Db) {
  const entries = db.collection<AuditDocument>('audit_log');

  return {
    prepare: () => prepareCollection(entries, [{ key: { account_id: 1, at: -1, _id: -1 } }], db),

    /** In the transaction of the change: there is no change without its entry. */
    async add(tx: Transaction, entry: AuditEntry) {
      await entries.insertOne({ _id: newId('audit'), ...entry, request_id: tx.correlationId, at: new Date() }, { session: tx.session });
    },
  };
}
