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

const pastEvents = {
  account_id: accountId,
  event: z.string().describe('The name of the event.'),
  where: z.unknown().optional().describe('The conditions on the event, as in the trigger of a workflow; undefined without any.'),
  from: z.iso.datetime().describe('When the events happened, at the earliest.'),
  until: z.iso.datetime().describe('When the events were received, at the latest; they happened before it, too.'),
};

export const EventContactsPage = defineRequest({
  name: 'leadpulse.event_people',
  version: 1,
  meaning:
    'The contacts that had an event in the past, in contact ID order, each with its last event that matches. A page ends early ' +
    'when it is large or takes long; `next` is null after the last one. Contacts that were merged appear under their old IDs.',
  request: z.object({ ...pastEvents, after: contactId.nullable(), limit: z.number().int().min(1).max(1_000) }),
  reply: z.object({
    people: z.array(
      z.object({
        contact_id: contactId,
        event_id: z.string(),
        time: z.iso.datetime(),
        properties: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
        value: z.object({ amount: z.number(), currency: z.string() }).nullable(),
      }),
    ),
    next: contactId.nullable(),
  }),
});

export const EventContactsCount = defineRequest({
  name: 'leadpulse.count_event_people',
  version: 1,
  meaning:
    'How many contacts had an event in the past. `exact` is false if there are too many events to read; then there are at least as many.',
  request: z.object(pastEvents),
  reply: z.object({ contacts: z.number().int(), exact: z.boolean() }),
});
