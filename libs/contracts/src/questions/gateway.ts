import { z } from 'zod';
import { accountId } from '../ids.ts';
import { defineRequest } from '../question.ts';

export const UsersExist = defineRequest({
  name: 'gateway.users_exist',
  version: 1,
  meaning: 'Which of these users are not in the account.',
  ask: z.object({ account_id: accountId, user_ids: z.array(z.string().max(100)).min(1).max(100) }),
  answer: z.object({ missing: z.array(z.string()) }),
});
