import { z } from 'zod';
import { failureRef } from '../../documentation/failures.ts';
import type { ResponseHeader } from '../../documentation/headers.ts';
import { OauthFailure, OauthMetadata, OauthToken, RevocationForm, TokenForm } from './oauth-shapes.ts';

/** The endpoints outside `/v2`, which use OAuth's own formats. */
const paths = {
  '/.well-known/oauth-authorization-server': {
    get: {
      operationId: 'getOauthMetadata',
      tags: ['OAuth'],
      summary: 'Get the OAuth 2.0 server metadata (RFC 8414)',
      security: [],
      responses: {
        200: {
          description: 'The addresses, grants and scopes of this gateway.',
          headers: headerRefs(['X-Request-Id']),
          content: json('OauthMetadata', {
            issuer: 'https://marketing.example.com',
            authorization_endpoint: 'https://marketing.example.com/oauth/authorize',
            token_endpoint: 'https://marketing.example.com/oauth/token',
            revocation_endpoint: 'https://marketing.example.com/oauth/revoke',
            grant_types_supported: ['client_credentials', 'authorization_code', 'refresh_token'],
            response_types_supported: ['code'],
            code_challenge_methods_supported: ['S256'],
            authorization_response_iss_parameter_supported: true,
            scopes_supported: ['contacts:read', 'contacts:write'],
            token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
            revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
            service_documentation: 'https://marketing.example.com/reference',
          }),
        },
        ...atTheDoor(400, 405, 414, 431, 500, 502, 503, 504),
      },
    },
  },
  '/oauth/token': {
    post: {
      operationId: 'createOauthToken',
      tags: ['OAuth'],
      summary: 'Get an access token (RFC 6749)',
      description:
        'The client authenticates with its ID and secret, either by HTTP Basic or in the form, not both. The token works for one hour wherever an API key does, counts against the quota of its account, and never has more permissions than its client. With `authorization_code` and `refresh_token` the token is for the account of the user who connected the application, and also never has more permissions than that user.',
      security: [{ client: [] }, {}],
      requestBody: form('TokenForm', { grant_type: 'client_credentials', scope: 'contacts:read' }),
      responses: {
        200: {
          description: 'An access token.',
          headers: headerRefs(['X-Request-Id', 'Cache-Control']),
          content: json('OauthToken', {
            access_token: 'mp_at_EXAMPLE',
            token_type: 'Bearer',
            expires_in: 3_600,
            scope: 'contacts:read',
          }),
        },
        ...failures('`invalid_request`, `invalid_grant`, `unauthorized_client`, `unsupported_grant_type` or `invalid_scope`.'),
      },
    },
  },
  '/oauth/revoke': {
    post: {
      operationId: 'revokeOauthToken',
      tags: ['OAuth'],
      summary: 'Revoke an access token (RFC 7009)',
      description: 'The token stops working immediately on this gateway and within ten seconds on every other one.',
      security: [{ client: [] }, {}],
      requestBody: form('RevocationForm', { token: 'mp_at_EXAMPLE' }),
      responses: {
        200: { description: 'The token is revoked, or was never valid.', headers: headerRefs(['X-Request-Id', 'Cache-Control']) },
        ...failures('`invalid_request` or `unauthorized_client`.'),
      },
    },
  },
};

const schemas = Object.fromEntries(
  Object.entries({ TokenForm, RevocationForm, OauthToken, OauthFailure, OauthMetadata }).map(([name, shape]) => {
    const { $schema: _, ...schema } = z.toJSONSchema(shape, { io: 'input' });
    return [name, schema];
  }),
);

/** These endpoints and their schemas, as part of the OpenAPI document. */
export const oauthDocument = { paths, schemas };

function failures(refused: string) {
  return {
    400: failure(400, refused, { error: 'invalid_scope', error_description: 'This client may not request contacts:write.' }, true),
    401: failure(401, '`invalid_client`.', {
      error: 'invalid_client',
      error_description: 'The client is unknown or revoked, or its secret is wrong.',
    }),
    429: failure(429, '`temporarily_unavailable`: too many requests, or too many failed authentications from this address.', {
      error: 'temporarily_unavailable',
      error_description: 'Too many failed authentications from this address.',
    }),
    500: failure(500, '`temporarily_unavailable`: an internal error.', unavailable('Something went wrong on our side.'), true),
    503: failure(503, '`temporarily_unavailable`.', unavailable('The database is temporarily unavailable; try again.'), true),
    ...atTheDoor(405, 413, 414, 431, 502, 504),
  };
}

function unavailable(error_description: string) {
  return { error: 'temporarily_unavailable', error_description };
}

/** In RFC 6749's format, or in the standard one where the gateway's listener may return the same status. */
function failure(status: number, description: string, example: object, orEnvelope = false) {
  const more: ResponseHeader[] = status === 401 ? ['WWW-Authenticate'] : status === 429 || status === 503 ? ['Retry-After'] : [];
  const own = { $ref: '#/components/schemas/OauthFailure' };
  const schema = orEnvelope ? { anyOf: [own, { $ref: '#/components/schemas/Failure' }] } : own;
  return {
    description: orEnvelope ? `${description} In the standard error format if the gateway rejected the request earlier.` : description,
    headers: headerRefs(['X-Request-Id', 'Cache-Control', ...more]),
    content: { 'application/json': { schema, example } },
  };
}

/** Rejected by the listener before OAuth is involved: in the standard error format. */
function atTheDoor(...statuses: number[]) {
  return Object.fromEntries(statuses.map((status) => [status, failureRef(status)]));
}

function headerRefs(names: readonly ResponseHeader[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function json(name: string, example: object) {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${name}` }, example } };
}

function form(name: string, example: object) {
  return {
    required: true,
    content: { 'application/x-www-form-urlencoded': { schema: { $ref: `#/components/schemas/${name}` }, example } },
  };
}
