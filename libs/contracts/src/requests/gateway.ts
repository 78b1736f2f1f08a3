import { z } from 'zod';
import { ErrorDetail } from '../errors.ts';
import { accountId } from '../ids.ts';
import { Permission, Scope } from '../permissions.ts';
import { defineRequest } from '../request.ts';

export const UsersExist = defineRequest({
  name: 'gateway.users_exist',
  version: 1,
  meaning: 'Which of these users are not in the account.',
  request: z.object({ account_id: accountId, user_ids: z.array(z.string().max(100)).min(1).max(100) }),
  reply: z.object({ missing: z.array(z.string()) }),
});

const LimitCode = z.enum(['RATE_LIMITED', 'QUOTA_EXCEEDED']);
const headers = z.record(z.string(), z.string()).describe('The rate limit headers of the response.');
const refusal = { message: z.string(), retry_after: z.number().int(), details: z.array(ErrorDetail) };
const refused = 'Why the request is rejected; null if it was charged.';

export const RequestCharged = defineRequest({
  name: 'gateway.request_charged',
  version: 1,
  meaning: 'Charges a request without a credential to the rate limit and the daily quota of its account.',
  request: z.object({
    account_id: accountId,
    url_of: z.string().max(100).describe('What the URL of the request belongs to; it is the credential.'),
  }),
  reply: z.object({
    headers,
    refused: z
      .object({ code: LimitCode, ...refusal })
      .nullable()
      .describe(refused),
  }),
});

/** The most requests that a key is charged at once. */
export const maxCharged = 2_500;

export const KeyCharged = defineRequest({
  name: 'gateway.key_charged',
  version: 1,
  meaning: 'Verifies an API key that reached a service in a request of another form than the API, and charges several requests with it.',
  request: z.object({
    key_hash: z.string().max(100).describe('The SHA-256 hash of the key in base64url; the key itself is never sent.'),
    address: z.string().max(64).describe('The IP address of the client.'),
    scope: Scope.describe('The scope that the key needs.'),
    requests: z
      .number()
      .int()
      .min(1)
      .max(maxCharged)
      .describe('How many requests are charged to the daily quota; to the burst limit, one.'),
  }),
  reply: z.object({
    headers,
    key: z
      .object({ id: z.string(), account_id: accountId, permission: Permission, scopes: z.array(Scope).nullable() })
      .nullable()
      .describe('The key; null if it is not valid.'),
    refused: z
      .object({ code: z.enum([...LimitCode.options, 'UNAUTHORIZED', 'FORBIDDEN', 'IP_NOT_ALLOWED', 'ACCOUNT_SUSPENDED']), ...refusal })
      .nullable()
      .describe(refused),
  }),
});
