import { scopes } from '@mp/contracts/permissions';
import { z } from 'zod';

/** Requests and responses of the OAuth endpoints (RFC 6749, 7009 and 8414), which do not use the API's envelope. */
export const grantType = 'client_credentials';

const client = {
  client_id: z.string().optional().describe('Required unless the client authenticates by HTTP Basic.'),
  client_secret: z.string().optional().describe('Required unless the client authenticates by HTTP Basic.'),
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
  access_token: z.string().describe('Send it as `Authorization: Bearer …`. It is returned only once and is not stored.'),
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

export const OauthFailure = z
  .object({
    error: OauthErrorCode.describe('The error code (RFC 6749 §5.2).'),
    error_description: z.string().describe('What is wrong, in plain English.'),
  })
  .meta({ title: 'OAuth error' });
export type OauthFailure = z.infer<typeof OauthFailure>;

const ClientAuthentication = z.enum(['client_secret_basic', 'client_secret_post']);

export const OauthMetadata = z.object({
  issuer: z.url().describe('The public URL of this gateway.'),
  token_endpoint: z.url().describe('Where clients get access tokens.'),
  revocation_endpoint: z.url().describe('Where clients revoke access tokens.'),
  grant_types_supported: z.array(z.literal(grantType)).describe('The supported grant types.'),
  response_types_supported: z.array(z.string()).describe('Empty, because there is no authorization endpoint.'),
  scopes_supported: z.array(z.enum(scopes)).describe('All scopes of the API.'),
  token_endpoint_auth_methods_supported: z.array(ClientAuthentication).describe('How clients authenticate at the token endpoint.'),
  revocation_endpoint_auth_methods_supported: z
    .array(ClientAuthentication)
    .describe('How clients authenticate at the revocation endpoint.'),
  service_documentation: z.url().describe('The API reference.'),
});
export type OauthMetadata = z.infer<typeof OauthMetadata>;
