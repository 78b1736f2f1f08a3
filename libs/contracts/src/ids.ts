import { z } from 'zod';

// The types that these give to ids keep each kind out of the places of the others (docs/decisions/0062-typed-ids.md).

/** The account that owns a resource or an event. */
export const accountId = z.string().brand<'account'>();
export const contactId = z.string().brand<'contact'>();
