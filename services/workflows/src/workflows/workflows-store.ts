import { notFound } from '@mp/contracts/errors';
import type { AccountId, WorkflowId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage, parseSort } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import { nameFilter } from '@mp/service-kit/name-search';
import type { Db } from 'mongodb';
import { z } from 'zod';
import { createSettingsStore } from '../settings/settings-store.ts';
import { createAffectedWorkflows } from './affected-workflows.ts';
import type { Definition } from './definition.ts';
import { readDefinition, storedDefinition } from './stored-definition.ts';
import { allWatches } from './watch-keys.ts';
import { definitionOf, type Workflow, type WorkflowStatus } from './workflow.ts';
import { documentOf, type WorkflowDocument, workflowOf } from './workflow-document.ts';

type VersionDocument = {
  _id: string;
  account_id: AccountId;
  workflow_id: WorkflowId;
  version: number;
  definition: string;
  created_at: Date;
};

export const ListWorkflowsSort = z.enum(['created_at', '-created_at']).default('-created_at');
type ListQuery = {
  limit: number;
  cursor?: string | undefined;
  sort: string;
  status?: WorkflowStatus | undefined;
  q?: string | undefined;
  include?: 'total_count' | undefined;
};

/** Runs in the transaction of every change of a workflow. `gone`: it was deleted. */
type AfterWrite = (tx: Transaction, accountId: AccountId, workflow: Workflow, options?: { gone?: boolean }) => Promise<void>;

export type WorkflowsStore = ReturnType<typeof createWorkflowsStore>;

const maxCachedVersions = 500;

/** Owns the `workflows` and `versions` collections. */
export function createWorkflowsStore(db: Db, cursors: Cursors, afterWrite: AfterWrite, settings = createSettingsStore(db)) {
  const workflows = db.collection<WorkflowDocument>('workflows');
  const versions = db.collection<VersionDocument>('versions');
  /** Versions in use by runs never change, so they can be cached. */
  const known = new Map<string, Definition>();

  const keepVersion = (tx: Transaction, accountId: AccountId, workflow: Workflow) =>
    versions.replaceOne(
      { _id: versionId(workflow.id, workflow.version), account_id: accountId },
      {
        account_id: accountId,
        workflow_id: workflow.id,
        version: workflow.version,
        definition: storedDefinition(definitionOf(workflow)),
        created_at: new Date(workflow.updated_at),
      },
      { upsert: true, session: tx.session },
    );

  return {
    async prepare() {
      await prepareCollection(
        workflows,
        [
          { key: { account_id: 1, created_at: 1, _id: 1 } },
          { key: { account_id: 1, status: 1, created_at: 1, _id: 1 } },
          { key: { account_id: 1, trigger_key: 1, status: 1 } },
          { key: { account_id: 1, watch_keys: 1 } },
        ],
        db,
      );
      await prepareCollection(versions, [{ key: { account_id: 1, workflow_id: 1, version: 1 }, unique: true }], db);
    },

    async insert(tx: Transaction, accountId: AccountId, workflow: Workflow) {
      await workflows.insertOne({ ...documentOf(accountId, workflow), watch_keys: allWatches(workflow) }, { session: tx.session });
      await keepVersion(tx, accountId, workflow);
      await afterWrite(tx, accountId, workflow);
    },

    /** Throws NOT_FOUND. */
    async get(accountId: AccountId, id: WorkflowId, tx?: Transaction): Promise<Workflow> {
      const document = await workflows.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
      if (!document) throw notFound();
      return workflowOf(document);
    },

    /** Undefined when the workflow was deleted. */
    async find(accountId: AccountId, id: WorkflowId, tx?: Transaction): Promise<Workflow | undefined> {
      const document = await workflows.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
      return document ? workflowOf(document) : undefined;
    },

    /** Undefined when the workflow was deleted. */
    async status(accountId: AccountId, id: WorkflowId, tx: Transaction): Promise<WorkflowStatus | undefined> {
      const document = await workflows.findOne({ _id: id, account_id: accountId }, { session: tx.session, projection: { status: 1 } });
      return document?.status;
    },

    /** Undefined when the workflow was deleted. */
    async createdAt(accountId: AccountId, id: WorkflowId): Promise<Date | undefined> {
      const document = await workflows.findOne({ _id: id, account_id: accountId }, { projection: { created_at: 1 } });
      return document?.created_at;
    },

    /** Statuses by workflow id, without deleted workflows. */
    async statuses(
      keys: readonly { account_id: AccountId; workflow_id: WorkflowId }[],
      tx?: Transaction,
    ): Promise<Map<WorkflowId, WorkflowStatus>> {
      if (keys.length === 0) return new Map();
      const found = await workflows.find(amongst(keys), { projection: { status: 1 }, ...(tx && { session: tx.session }) }).toArray();
      return new Map(found.map(({ _id, status }) => [_id, status]));
    },

    async replace(tx: Transaction, accountId: AccountId, workflow: Workflow) {
      const { _id, ...fields } = documentOf(accountId, workflow);
      await workflows.updateOne(
        { _id, account_id: accountId },
        { $set: fields, $addToSet: { watch_keys: { $each: allWatches(workflow) } } },
        { session: tx.session },
      );
      await keepVersion(tx, accountId, workflow);
      await afterWrite(tx, accountId, workflow);
    },

    async remove(tx: Transaction, accountId: AccountId, workflow: Workflow) {
      await workflows.deleteOne({ _id: workflow.id, account_id: accountId }, { session: tx.session });
      await afterWrite(tx, accountId, { ...workflow, revision: workflow.revision + 1 }, { gone: true });
    },

    /** By id, without deleted ones. */
    async findMany(
      tx: Transaction,
      keys: readonly { account_id: AccountId; workflow_id: WorkflowId }[],
    ): Promise<Map<WorkflowId, Workflow>> {
      if (keys.length === 0) return new Map();
      const found = await workflows.find(amongst(keys), { session: tx.session }).toArray();
      return new Map(found.map((document) => [document._id, workflowOf(document)]));
    },

    ...createAffectedWorkflows(workflows),

    /** A definition as runs use it: with what the settings of the account say. */
    applied: settings.applied,

    /**
     * The definition of a version, as runs use it. It is kept after its workflow is deleted, so that its runs can still be
     * explained.
     */
    async definition(accountId: AccountId, workflowId: WorkflowId, version: number): Promise<Definition> {
      const id = versionId(workflowId, version);
      const cached = known.get(id);
      if (cached) return settings.applied(accountId, cached);
      const document = await versions.findOne({ _id: id, account_id: accountId });
      if (!document) throw new Error(`The version ${id} is missing.`);
      const definition = readDefinition(document.definition);
      const [oldest] = known.keys();
      if (known.size >= maxCachedVersions && oldest !== undefined) known.delete(oldest);
      known.set(id, definition);
      return settings.applied(accountId, definition);
    },

    /** The workflows of all accounts that are not archived, in id order. */
    async allAfter(after: WorkflowId | null, limit: number): Promise<{ accountId: AccountId; workflow: Workflow }[]> {
      const rows = await workflows
        .find({ status: { $ne: 'archived' }, ...(after !== null && { _id: { $gt: after } }) })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return rows.map((row) => ({ accountId: row.account_id, workflow: workflowOf(row) }));
    },

    async list(accountId: AccountId, query: ListQuery) {
      const { limit, cursor, include, ...filters } = query;
      const { items, pagination } = await findPage({
        collection: workflows,
        filter: {
          account_id: accountId,
          ...(filters.status && { status: filters.status }),
          ...(filters.q !== undefined && nameFilter(filters.q)),
        },
        order: parseSort(filters.sort),
        limit,
        cursor,
        cursors,
        boundTo: ['workflows', accountId, filters],
        total: include === 'total_count',
      });
      return { items: items.map(workflowOf), pagination };
    },

    async listVersions(accountId: AccountId, workflowId: WorkflowId, limit: number, cursor: string | undefined) {
      const { items, pagination } = await findPage({
        collection: versions,
        filter: { account_id: accountId, workflow_id: workflowId },
        order: { field: 'version', direction: -1 },
        limit,
        cursor,
        cursors,
        boundTo: ['versions', accountId, workflowId],
      });
      return {
        items: items.map(({ version, definition, created_at }) => ({
          version,
          ...readDefinition(definition),
          created_at: created_at.toISOString(),
        })),
        pagination,
      };
    },
  };
}

const versionId = (workflowId: WorkflowId, version: number) => `${workflowId}:${version}`;

const amongst = (keys: readonly { account_id: AccountId; workflow_id: WorkflowId }[]) => ({
  account_id: { $in: [...new Set(keys.map(({ account_id }) => account_id))] },
  _id: { $in: [...new Set(keys.map(({ workflow_id }) => workflow_id))] },
});
