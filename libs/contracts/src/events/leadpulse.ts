import { z } from 'zod';
import { ErasureReceipt } from '../erasure.ts';
import { defineEvent } from '../event.ts';

/** What a visitor did, as far as others need it. */
const activity = z.object({
  event_id: z.string().describe('the same for every telling of the same event'),
  event: z.string(),
  visitor_id: z.string().nullable().describe("the caller's anonymous id"),
  contact_id: z.string().nullable(),
  time: z.iso.datetime(),
  properties: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .describe('flat; context appears as `page.url`, `page.path`, `utm.source` …'),
  value: z.object({ amount: z.number(), currency: z.string() }).nullable(),
  bot: z.boolean(),
});

const ofContact = ({ contact_id }: z.output<typeof activity>) => (contact_id === null ? [] : [contact_id]);

export const EventTracked = defineEvent(
  'leadpulse.event.tracked',
  1,
  'An event was accepted; not told for backfilled events.',
  activity,
  ofContact,
);

export const EventAttributed = defineEvent(
  'leadpulse.event.attributed',
  1,
  'An event that was published without a contact is recognised as one of a contact; `time` is when it happened. Published once for each event.',
  activity,
  ofContact,
);

export const LeadpulseContactErased = defineEvent(
  'leadpulse.contact.erased',
  1,
  'Answer to contacts.contact.erased: nothing personal of the contact is left in leadpulse.',
  ErasureReceipt,
);
