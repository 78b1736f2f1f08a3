import { scopes } from '@mp/contracts/permissions';
import { z } from 'zod';

/** Requests and responses of the OAuth endpoints (RFC 6749, 7009 and 8414), which do not use the API's envelope. */
export const grantType = 'client_credentials';

const client = {
  client_id: z.string().optional().describe('Required unless the client authenticates by HTTP Basic.'),
  client_secret: z.string().optional(),
};

export const TokenForm = z.object({
  grant_type: z.literal(grantType),
  scope: z
    .string()
    .optional()
    .describe(`The requested scopes, separated by spaces. Omitted: all scopes of the client. One or more of: ${scopes.join(', ')}.`),
  ...client,
});

export const RevocationForm = z.object({
  token: z.string().describe('The access token. Unknown tokens and those of other clients count as already revoked.'),
  ...client,
});

export const OauthToken = z.object({
  access_token: z.string().describe('Send it as `Authorization: Bearer …`. It is returned only this once and not stored.'),
  token_type: z.literal('Bearer'),
  expires_in: z.number().int().positive().describe('Lifetime in seconds.'),
  scope: z.string().describe('The granted scopes, separated by spaces.'),
});
export type OauthToken = z.infer<typeof OauthToken>;

export const OauthErrorCode = z.enum([
  'invalid_request',
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'temporarily_unavailable',
]);
export type OauthErrorCode = z.infer<typeof OauthErrorCode>;

export const OauthFailure = z.object({ error: OauthErrorCode, error_description: z.string() });
export type OauthFailure = z.infer<typeof OauthFailure>;

const ClientAuthentication = z.enum(['client_secret_basic', 'client_secret_post']);

export const OauthMetadata = z.object({
  issuer: z.url(),
  token_endpoint: z.url(),
  revocation_endpoint: z.url(),
  grant_types_supported: z.array(z.literal(grantType)),
  response_types_supported: z.array(z.string()),
  scopes_supported: z.array(z.enum(scopes)),
  token_endpoint_auth_methods_supported: z.array(ClientAuthentication),
  revocation_endpoint_auth_methods_supported: z.array(ClientAuthentication),
  service_documentation: z.url(),
});
export type OauthMetadata = z.infer<typeof OauthMetadata>;
