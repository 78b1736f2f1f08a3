import { z } from 'zod';
import { AccountErasureReceipt } from '../account-erasure.ts';
import { ErasureReceipt } from '../erasure.ts';
import { defineEvent } from '../event.ts';
import { contactId, visitorId } from '../ids.ts';

/** A tracked event, with the fields that other services need. */
const activity = z.object({
  event_id: z.string().describe('The same each time the same event is published.'),
  event: z.string().describe('Name of the event.'),
  visitor_id: z.string().nullable().describe('The anonymous visitor ID that the caller sent.'),
  contact_id: contactId.nullable(),
  time: z.iso.datetime(),
  properties: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .describe('Flat; the context appears as `page.url`, `page.path`, `utm.source` and so on.'),
  value: z.object({ amount: z.number(), currency: z.string() }).nullable(),
  bot: z.boolean(),
});

const ofContact = ({ contact_id }: z.output<typeof activity>) => (contact_id === null ? [] : [contact_id]);

export const EventTracked = defineEvent({
  type: 'leadpulse.event.tracked',
  version: 1,
  meaning: 'An event was accepted. For an event sent with `backfill: true`, see leadpulse.event.backfilled.',
  data: activity,
  subjectsOf: ofContact,
});

export const EventAttributed = defineEvent({
  type: 'leadpulse.event.attributed',
  version: 1,
  meaning: 'An event that was published without a contact was attributed to one; `time` is when it happened. Published once per event.',
  data: activity,
  subjectsOf: ofContact,
});

export const VisitorIdentified = defineEvent({
  type: 'leadpulse.visitor.identified',
  version: 1,
  meaning: 'The contact of a visitor became known.',
  data: z.object({ visitor_id: visitorId.describe('ID of the visitor in LeadPulse.'), contact_id: contactId, at: z.iso.datetime() }),
});

export const ContactIdentified = defineEvent({
  type: 'leadpulse.contact.identified',
  version: 1,
  meaning:
    'An `identify` or `group` call to the Segment-compatible API named a contact, with a secret key or a token that the customer ' +
    'signed. contacts creates or updates the contact, and confirms it with contacts.traits.applied.',
  data: z.object({
    key: z.string().describe('The ID of the event of the call; the same each time.'),
    person: z.string().describe('Whom the call names. Calls that name the same take effect in order.'),
    contact_id: contactId.nullable(),
    external_id: z.string().nullable(),
    email: z.string().nullable(),
    address_hash: z.string().optional().describe('The keyed hash of `email`, by which an erasure finds the event.'),
    external_hash: z.string().optional().describe('The keyed hash of `external_id`, by which an erasure finds the event.'),
    received_at: z.iso.datetime().optional().describe('When the call was received. A contact that was erased since is not created again.'),
    fields: z.record(z.string(), z.unknown()).describe('The traits, as fields of the contact. `null` clears a field.'),
  }),
  subjectsOf: ({ contact_id, address_hash, external_hash }) =>
    [contact_id, address_hash, external_hash].filter((subject) => subject != null),
});

export const EventBackfilled = defineEvent({
  type: 'leadpulse.event.backfilled',
  version: 1,
  meaning:
    'An event sent with `backfill: true` belongs to a contact. `time` is when it happened. It counts in segments, is on the timeline and starts nothing. ' +
    'Published once per event.',
  data: activity,
  subjectsOf: ofContact,
});

export const LeadpulseSettingsChanged = defineEvent({
  type: 'leadpulse.settings.changed',
  version: 1,
  meaning: 'The LeadPulse settings of the account were changed. It becomes an entry of the audit log.',
  data: z.object({
    actor_id: z.string().describe('The API key, OAuth client or user that made the change.'),
    changes: z
      .record(z.string(), z.object({ from: z.unknown(), to: z.unknown() }))
      .describe('The changed settings, each with its value before and after.'),
  }),
});

export const LeadpulseContactErased = defineEvent({
  type: 'leadpulse.contact.erased',
  version: 1,
  meaning: 'Confirms contacts.contact.erased: leadpulse has removed all personal data of the contact.',
  data: ErasureReceipt,
});

export const LeadpulseAccountErased = defineEvent({
  type: 'leadpulse.account.erased',
  version: 1,
  meaning: 'Confirms platform.account.erased: leadpulse no longer stores anything about the account.',
  data: AccountErasureReceipt,
});
