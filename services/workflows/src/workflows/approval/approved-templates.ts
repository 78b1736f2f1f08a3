import type { AccountId, WorkflowId } from '@mp/ids';
import type { ApprovalsStore } from '@mp/service-kit/approvals-store';
import type { Transaction } from '@mp/service-kit/mongo';
import type { SettingsStore } from '../../settings/settings-store.ts';

type Deps = { approvals: Pick<ApprovalsStore, 'approvedTemplates'>; settings: Pick<SettingsStore, 'of'> };

export type ApprovedTemplates = ReadonlyMap<string, Readonly<Record<string, number>>>;
export type FindApprovedTemplates = ReturnType<typeof createFindApprovedTemplates>;

/** The versions of templates that these workflows may send, by template; not of accounts that require no approval. */
export const createFindApprovedTemplates =
  ({ approvals, settings }: Deps) =>
  async (tx: Transaction, workflows: readonly { account_id: AccountId; workflow_id: WorkflowId }[]): Promise<ApprovedTemplates> => {
    const ids = new Set(workflows.map(({ workflow_id }) => workflow_id));
    const accountIds = new Set(workflows.map(({ account_id }) => account_id));
    const found = await approvals.approvedTemplates(tx, [...accountIds], [...ids]);
    const requiring = new Set<AccountId>();
    for (const accountId of new Set(found.map(({ accountId }) => accountId)))
      if ((await settings.of(accountId, tx)).approval === 'always') requiring.add(accountId);
    return new Map(found.filter(({ accountId }) => requiring.has(accountId)).map(({ id, versions }) => [id, versions]));
  };
