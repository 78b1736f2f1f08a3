import { ApiError, notFound } from '@mp/contracts/errors';
import { refusal, type Scope } from '@mp/contracts/permissions';
import type { Principal } from '@mp/service-kit/create-server';
import type { Transaction } from '@mp/service-kit/mongo';
import { mayRead } from '@mp/service-kit/principal';
import type { ReportEmailRow } from './report-email.ts';
import type { ReportEmailsStore } from './report-emails-store.ts';

type Subject = Pick<ReportEmailRow, 'campaign_id' | 'workflow_id'>;

const scopeOf = ({ workflow_id }: Subject, way: 'read' | 'write'): Scope =>
  workflow_id === null ? `campaigns:${way}` : `workflows:${way}`;

/** Throws FORBIDDEN unless the caller may change what the report is about. */
export function requireMayChange(principal: Principal, subject: Subject) {
  const refused = refusal(principal, 'POST', scopeOf(subject, 'write'));
  if (refused !== undefined) throw new ApiError('FORBIDDEN', refused);
}

/** What the caller may see: the reports of campaigns, of workflows, or both. Throws FORBIDDEN if neither. */
export function filterOf(principal: Principal): { campaign_id?: null; workflow_id?: null } {
  const [ofCampaigns, ofWorkflows] = [mayRead(principal, 'campaigns:read'), mayRead(principal, 'workflows:read')];
  if (!ofCampaigns && !ofWorkflows) throw new ApiError('FORBIDDEN', 'This credential lacks the scopes campaigns:read and workflows:read.');
  return { ...(!ofCampaigns && { campaign_id: null }), ...(!ofWorkflows && { workflow_id: null }) };
}

/** Throws NOT_FOUND for one that the caller may not see, like for one that does not exist. */
export async function getSeen(reportEmails: Pick<ReportEmailsStore, 'get'>, principal: Principal, id: string, tx?: Transaction) {
  filterOf(principal);
  const row = await reportEmails.get(principal.accountId, id, tx);
  if (!mayRead(principal, scopeOf(row, 'read'))) throw notFound();
  return row;
}
