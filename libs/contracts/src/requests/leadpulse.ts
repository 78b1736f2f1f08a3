import { z } from 'zod';
import { accountId, contactId } from '../ids.ts';
import { defineRequest } from '../request.ts';

export const VisitorToken = defineRequest({
  name: 'leadpulse.visitor_token',
  version: 1,
  meaning:
    'A token with which the page at this URL identifies its visitor as a contact, once and within minutes. Null if the page is on no ' +
    'site of the account.',
  request: z.object({ account_id: accountId, contact_id: contactId, url: z.string().max(8_192) }),
  reply: z.object({ token: z.string().nullable() }),
});
