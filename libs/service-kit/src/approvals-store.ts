import type { AccountId, TemplateId } from '@mp/ids';
import type { Db } from 'mongodb';
import type { Principal } from './create-server.ts';
import { prepareCollection, type Transaction } from './mongo.ts';

/** Which content of a template is sent. */
export type PinnedTemplate = { template_id: TemplateId; version: number };

type ApprovalDocument = {
  /** The ID of what needs approval. */
  _id: string;
  account_id: AccountId;
  status: 'awaiting' | 'approved' | 'rejected' | 'withdrawn';
  requested_by: string;
  /** Who created the API key or OAuth client that requested it, if known. */
  requested_for: string | null;
  requested_at: Date;
  decided_by: string | null;
  decided_at: Date | null;
  comment: string | null;
  /** Whether a workflow also starts runs for the current members of its segment. */
  include_current?: boolean;
  include_past_days?: number;
  /** What a workflow would send of its templates. */
  templates?: readonly PinnedTemplate[];
  /** The versions of templates that were approved last, by ID, even by earlier approvals: runs that began then still send them. */
  approved_templates?: Record<string, number>;
  /** The content that was approved last, as JSON, because its field names may be any text. */
  approved?: string;
};

export type ApprovalRequest = Omit<ApprovalDocument, '_id' | 'account_id'>;

type Decision = {
  status: 'approved' | 'rejected' | 'withdrawn';
  by: string;
  comment?: string | undefined;
  approved?: object & { templates?: readonly PinnedTemplate[] };
};

export type ApprovalsStore = ReturnType<typeof createApprovalsStore>;

/** Owns the `approvals` collection: the last request for approval of each resource, and what was approved last. */
export function createApprovalsStore(db: Db) {
  const approvals = db.collection<ApprovalDocument>('approvals');

  return {
    prepare: () => prepareCollection(approvals, [{ name: 'account', key: { account_id: 1 } }], db),

    async find(accountId: AccountId, id: string, tx?: Transaction): Promise<ApprovalRequest | undefined> {
      return (await approvals.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session })) ?? undefined;
    },

    /** Begins a request; an earlier one is replaced, but what was approved last is kept. */
    async request(
      tx: Transaction,
      { accountId, id: requested_by, createdBy }: Principal,
      id: string,
      options: Pick<ApprovalRequest, 'include_current' | 'include_past_days' | 'templates'> = {},
    ) {
      const request = { requested_by, requested_for: createdBy ?? null, requested_at: new Date(), ...options };
      await approvals.updateOne(
        { _id: id, account_id: accountId },
        {
          $set: { status: 'awaiting', ...request, decided_by: null, decided_at: null, comment: null },
          // Of an earlier request.
          ...(options.include_past_days === undefined && { $unset: { include_past_days: '' } }),
        },
        { session: tx.session, upsert: true },
      );
    },

    /** Ends the request. The caller has checked, in the same transaction, that it waits. */
    async end(tx: Transaction, accountId: AccountId, id: string, { status, by, comment, approved }: Decision) {
      await approvals.updateOne(
        { _id: id, account_id: accountId },
        {
          $set: {
            ...{ status, decided_by: by, decided_at: new Date(), comment: comment || null },
            ...(approved && { approved: JSON.stringify(approved) }),
            ...Object.fromEntries((approved?.templates ?? []).map((one) => [`approved_templates.${one.template_id}`, one.version])),
          },
        },
        { session: tx.session },
      );
    },

    /** The versions of templates that were approved, by template, for each of these that has any. */
    async approvedTemplates(tx: Transaction, accountIds: readonly AccountId[], ids: readonly string[]) {
      if (ids.length === 0) return [];
      const pinned = { account_id: { $in: [...accountIds] }, _id: { $in: [...ids] }, approved_templates: { $exists: true } };
      const projection = { account_id: 1, approved_templates: 1 };
      const found = await approvals.find(pinned, { session: tx.session, projection }).toArray();
      return found.map(({ _id, account_id, approved_templates = {} }) => ({
        id: _id,
        accountId: account_id,
        versions: approved_templates,
      }));
    },

    async remove(tx: Transaction, accountId: AccountId, id: string) {
      await approvals.deleteOne({ _id: id, account_id: accountId }, { session: tx.session });
    },
  };
}
