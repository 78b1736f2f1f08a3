import { invalid } from '@mp/contracts/errors';
import { CampaignReport } from '@mp/contracts/requests/campaigns';
import { WorkflowReport } from '@mp/contracts/requests/workflows';
import type { AccountId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { UsersStore } from '../users/users-store.ts';
import type { ReportEmailRow } from './report-email.ts';

/** Throws VALIDATION_ERROR if the account has no such campaign or workflow. */
export async function requireSubject(
  broker: Pick<Broker, 'request'>,
  account_id: AccountId,
  { campaign_id, workflow_id }: Pick<ReportEmailRow, 'campaign_id' | 'workflow_id'>,
) {
  if (campaign_id !== null && !(await broker.request(CampaignReport, { account_id, campaign_id })).report)
    throw invalid('/campaign_id', 'unknown_campaign', 'The account has no campaign with this ID.');
  if (workflow_id !== null && !(await broker.request(WorkflowReport, { account_id, workflow_id })).report)
    throw invalid('/workflow_id', 'unknown_workflow', 'The account has no workflow with this ID.');
}

/** Throws VALIDATION_ERROR if one of these is not a user of the account, or has no email address. */
export async function requireUsers(users: Pick<UsersStore, 'find'>, accountId: AccountId, ids: readonly string[]) {
  for (const [index, id] of ids.entries()) {
    const user = await users.find(accountId, id);
    if (!user) throw invalid(`/user_ids/${index}`, 'unknown_user', `The account has no user ${id}.`);
    if (user.email === null) throw invalid(`/user_ids/${index}`, 'no_email', `The user ${user.name} has no email address; add one first.`);
  }
}
