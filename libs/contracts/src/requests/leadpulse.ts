import { z } from 'zod';
import { accountId, contactId, formId } from '../ids.ts';
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

export const FormRevenue = defineRequest({
  name: 'leadpulse.form_revenue',
  version: 1,
  meaning: 'What the contacts that a form created ordered since, at a time in the range.',
  request: z.object({ account_id: accountId, form_id: formId, from: z.iso.datetime(), to: z.iso.datetime() }),
  reply: z.object({ orders: z.number().int(), revenue: z.array(z.object({ amount: z.number(), currency: z.string() })) }),
});
