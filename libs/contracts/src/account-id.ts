import { z } from 'zod';

/** The account that owns a resource or an event. Its type, `AccountId`, keeps other ids out of its place. */
export const accountId = z.string().brand<'account'>();
