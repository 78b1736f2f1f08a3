import { scopes } from '@mp/contracts/permissions';
import { z } from 'zod';

/** What OAuth's own endpoints take and answer: RFC 6749, 7009 and 8414, and not the envelope. */
export const grantType = 'client_credentials';

const client = {
  client_id: z.string().optional().describe('Where the client does not authenticate by Basic.'),
  client_secret: z.string().optional(),
};

export const TokenForm = z.object({
  grant_type: z.literal(grantType),
  scope: z
    .string()
    .optional()
    .describe(`What the token may do, separated by spaces; whatever the client may when left out. Of: ${scopes.join(', ')}.`),
  ...client,
});

export const RevocationForm = z.object({
  token: z.string().describe('An access token. One that is not of this client, or none at all, is taken for revoked.'),
  ...client,
});

export const OauthToken = z.object({
  access_token: z.string().describe('Send it as `Authorization: Bearer …`. It is shown this once and not stored.'),
  token_type: z.literal('Bearer'),
  expires_in: z.number().int().positive().describe('Seconds.'),
  scope: z.string().describe('What it may do, separated by spaces.'),
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
