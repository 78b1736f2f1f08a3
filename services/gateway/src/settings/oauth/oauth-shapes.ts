import { scopes } from '@mp/contracts/permissions';
import { z } from 'zod';

/** Requests and responses of the OAuth endpoints (RFC 6749, 7009 and 8414), which do not use the API's envelope. */
export const GrantType = z.enum(['client_credentials', 'authorization_code', 'refresh_token']);
export type GrantType = z.infer<typeof GrantType>;

const client = {
  client_id: z.string().optional().describe('Required unless the client authenticates by HTTP Basic.'),
  client_secret: z
    .string()
    .optional()
    .describe('Required unless the client authenticates by HTTP Basic, or cannot keep a secret (`confidential` is false).'),
};

export const TokenForm = z.object({
  grant_type: GrantType,
  scope: z
    .string()
    .optional()
    .describe(
      `With client_credentials: the requested scopes, separated by spaces. Omitted: all scopes of the client. One or more of: ${scopes.join(', ')}.`,
    ),
  code: z.string().optional().describe('With authorization_code: the code that the redirect URI received.'),
  code_verifier: z.string().optional().describe('With authorization_code: the text whose SHA-256 was the `code_challenge` (RFC 7636).'),
  redirect_uri: z
    .string()
    .optional()
    .describe('With authorization_code: the `redirect_uri` of the authorization request. Optional; a different one is rejected.'),
  refresh_token: z.string().optional().describe('With refresh_token: the newest refresh token.'),
  ...client,
});

export const RevocationForm = z.object({
  token: z
    .string()
    .describe(
      'The access token, or a refresh token, with which all tokens of its user end. Unknown tokens and those of other clients count as already revoked.',
    ),
  ...client,
});

export const OauthToken = z.object({
  access_token: z.string().describe('Send it as `Authorization: Bearer …`. It is returned only once and is not stored.'),
  token_type: z.literal('Bearer'),
  expires_in: z.number().int().positive().describe('Lifetime in seconds.'),
  scope: z.string().describe('The granted scopes, separated by spaces.'),
  refresh_token: z.string().optional().describe('Exchange it for the next access token. Each works once. Absent with client_credentials.'),
});
export type OauthToken = z.infer<typeof OauthToken>;

export const OauthErrorCode = z.enum([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
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

const ClientAuthentication = z.enum(['client_secret_basic', 'client_secret_post', 'none']);

export const OauthMetadata = z.object({
  issuer: z.url().describe('The public URL of this gateway.'),
  authorization_endpoint: z.url().describe('The page on which users connect an application.'),
  token_endpoint: z.url().describe('Where clients get access tokens.'),
  revocation_endpoint: z.url().describe('Where clients revoke access tokens.'),
  grant_types_supported: z.array(GrantType).describe('The supported grant types.'),
  response_types_supported: z.array(z.literal('code')).describe('The supported response types.'),
  code_challenge_methods_supported: z.array(z.literal('S256')).describe('The supported methods of PKCE, which is required (RFC 7636).'),
  authorization_response_iss_parameter_supported: z.boolean().describe('Whether redirects name the issuer (RFC 9207).'),
  scopes_supported: z.array(z.enum(scopes)).describe('All scopes of the API.'),
  token_endpoint_auth_methods_supported: z.array(ClientAuthentication).describe('How clients authenticate at the token endpoint.'),
  revocation_endpoint_auth_methods_supported: z
    .array(ClientAuthentication)
    .describe('How clients authenticate at the revocation endpoint.'),
  service_documentation: z.url().describe('The API reference.'),
});
export type OauthMetadata = z.infer<typeof OauthMetadata>;
