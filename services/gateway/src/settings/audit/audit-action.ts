import { z } from 'zod';

/** Every kind of change in the audit log. */
export const AuditAction = z
  .enum([
    'account.created',
    'account.changed',
    'leadpulse_settings.changed',
    'campaign_settings.changed',
    'campaign.approval_requested',
    'campaign.approved',
    'campaign.rejected',
    'campaign.approval_withdrawn',
    'workflow_settings.changed',
    'workflow.approval_requested',
    'workflow.approved',
    'workflow.rejected',
    'workflow.approval_withdrawn',
    'api_key.created',
    'api_key.changed',
    'api_key.rotated',
    'api_key.revoked',
    'oauth_client.created',
    'oauth_client.changed',
    'oauth_client.rotated',
    'oauth_client.revoked',
    'user.invited',
    'user.changed',
    'user.removed',
    'user.signed_in',
    'user.signed_out',
    'user.sessions_ended',
    'user.password_changed',
    'user.email_changed',
    'user.link_made',
  ])
  .meta({ id: 'AuditAction' });
export type AuditAction = z.infer<typeof AuditAction>;
