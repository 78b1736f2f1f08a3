import { z } from 'zod';
import { ErrorDetail } from '../errors.ts';
import { accountId } from '../ids.ts';
import { defineRequest } from '../request.ts';

export const UsersExist = defineRequest({
  name: 'gateway.users_exist',
  version: 1,
  meaning: 'Which of these users are not in the account.',
  request: z.object({ account_id: accountId, user_ids: z.array(z.string().max(100)).min(1).max(100) }),
  reply: z.object({ missing: z.array(z.string()) }),
});

export const RequestCharged = defineRequest({
  name: 'gateway.request_charged',
  version: 1,
  meaning: 'Charges a request without a credential to the rate limit and the daily quota of its account.',
  request: z.object({
    account_id: accountId,
    url_of: z.string().max(100).describe('What the URL of the request belongs to; it is the credential.'),
  }),
  reply: z.object({
    headers: z.record(z.string(), z.string()).describe('The rate limit headers of the response.'),
    refused: z
      .object({
        code: z.enum(['RATE_LIMITED', 'QUOTA_EXCEEDED']),
        message: z.string(),
        retry_after: z.number().int(),
        details: z.array(ErrorDetail),
      })
      .nullable()
      .describe('Why the request is rejected; null if it was charged.'),
  }),
});
