import type { AuditEntry } from '@marketing-platform/sdk';
import { useMutation } from '@tanstack/react-query';
import { responseData, useApi } from '../api/api.ts';
import { useList } from '../lists/use-list.ts';

export type { AuditEntry };
export type AuditAction = AuditEntry['action'];

const actionLabels = {
  'account.created': 'created the account',
  'account.changed': 'updated the account',
  'leadpulse_settings.changed': 'updated the LeadPulse settings',
  'campaign_settings.changed': 'changed which campaigns need approval',
  'campaign.approval_requested': 'requested approval of the campaign',
  'campaign.approved': 'approved the campaign',
  'campaign.rejected': 'rejected the campaign',
  'campaign.approval_withdrawn': 'withdrew the request to approve the campaign',
  'workflow_settings.changed': 'changed whether workflows need approval',
  'workflow.approval_requested': 'requested approval of the workflow',
  'workflow.approved': 'approved the workflow',
  'workflow.rejected': 'rejected the workflow',
  'workflow.approval_withdrawn': 'withdrew the request to approve the workflow',
  'api_key.created': 'generated an API key',
  'api_key.changed': 'updated an API key',
  'api_key.rotated': 'rotated an API key',
  'api_key.revoked': 'revoked an API key',
  'oauth_client.created': 'created an OAuth client',
  'oauth_client.changed': 'updated an OAuth client',
  'oauth_client.rotated': 'rotated the secret of an OAuth client',
  'oauth_client.revoked': 'revoked an OAuth client',
  'oauth_grant.created': 'connected an application',
  'oauth_grant.revoked': 'disconnected an application',
  'user.invited': 'invited a user',
  'user.changed': 'updated a user',
  'user.removed': 'removed a user',
  'user.signed_in': 'signed in',
  'user.signed_out': 'signed out',
  'user.sessions_ended': 'ended sessions',
  'user.password_changed': 'set a password',
  'user.email_changed': 'changed an email address',
  'user.link_made': 'created a sign-in link',
  'user.second_factor_added': 'added a second factor',
  'user.second_factor_renamed': 'renamed a second factor',
  'user.second_factor_removed': 'removed a second factor',
  'user.second_factor_reset': 'removed all second factors of a user',
  'user.identity_confirmed': 'confirmed who they are',
  'user.recovery_codes_replaced': 'replaced the recovery codes',
  'user.recovery_code_used': 'used a recovery code',
  'user.created': 'became a user by single sign-on',
  'user.linked': 'linked an identity',
  'user.unlinked': 'unlinked a user from identity providers',
  'identity_provider.created': 'created an identity provider',
  'identity_provider.changed': 'updated an identity provider',
  'identity_provider.removed': 'deleted an identity provider',
  'domain.added': 'added a domain',
  'domain.verified': 'verified a domain',
  'domain.unverified': 'found that a domain is no longer verified',
  'domain.removed': 'deleted a domain',
  'role.created': 'created a role',
  'role.changed': 'changed a role',
  'role.removed': 'deleted a role',
  'contact.deleted': 'deleted a contact',
  'contact.restored': 'restored a contact',
  'contact.erased': 'erased a contact',
  'contact_export.created': 'exported contacts',
  'contact_export.downloaded': 'downloaded exported contacts',
  'bulk_deletion.created': 'began to delete many contacts',
  'bulk_deletion.ended': 'ended a deletion of many contacts',
  'comment.deleted': 'deleted a comment of another user',
  'report_email.created': 'set up the email of a report',
  'report_email.changed': 'changed the email of a report',
  'report_email.deleted': 'stopped the email of a report',
  'report_email.stopped': 'no longer gets a report',
} as const satisfies Record<AuditAction, string>;

const words: Readonly<Record<string, string>> = actionLabels;

/** An action in words. An action that this page does not know is shown as its code. */
export const actionLabel = (action: string) => words[action] ?? action;

const isAction = (name: string): name is AuditAction => name in actionLabels;
export const actions = Object.keys(actionLabels).filter(isAction);

export type AuditSearch = { action?: AuditAction };

/** Parses the URL parameters of the audit log. */
export const auditSearch = ({ action }: Record<string, unknown>): AuditSearch =>
  typeof action === 'string' && isAction(action) ? { action } : {};

export function useVerification() {
  const api = useApi();
  return useMutation({ mutationFn: () => responseData(api.GET('/v2/settings/audit-log/verification')) });
}

export function useAuditLog(search: AuditSearch) {
  const api = useApi();
  return useList({
    queryKey: ['audit-log', search],
    page: (at, signal) => responseData(api.GET('/v2/settings/audit-log', { params: { query: { ...search, ...at } }, signal })),
  });
}
