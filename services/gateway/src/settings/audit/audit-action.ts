import { z } from 'zod';

/** Every kind of change in the audit log. */
export const AuditAction = z
  .enum([
    'account.created',
    'account.changed',
    'leadpulse_settings.changed',
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
    'user.second_factor_added',
    'user.second_factor_renamed',
    'user.second_factor_removed',
    'user.second_factor_reset',
    'user.identity_confirmed',
    'user.recovery_codes_replaced',
    'user.recovery_code_used',
    'user.created',
    'user.linked',
    'user.unlinked',
    'identity_provider.created',
    'identity_provider.changed',
    'identity_provider.removed',
    'domain.added',
    'domain.verified',
    'domain.removed',
  ])
  .meta({ id: 'AuditAction' });
export type AuditAction = z.infer<typeof AuditAction>;
