import { z } from 'zod';
import { Contact } from '../contact.ts';
import { defineEvent } from '../event.ts';

/** The contact as it is after the change: at most some 70 KiB, and all that rules, consent checks and templates ask for. */
const contact = Contact;

export const ContactCreated = defineEvent('contacts.contact.created', 1, 'A contact was created.', z.object({ contact }));

export const ContactUpdated = defineEvent(
  'contacts.contact.updated',
  1,
  'A contact changed; an update that changes nothing publishes nothing.',
  z.object({ contact, changed: z.array(z.string()).describe('paths of the changed fields, such as `address.city` or `attributes.plan`') }),
);

export const ContactDeleted = defineEvent(
  'contacts.contact.deleted',
  1,
  'A contact was deleted; its id never comes back.',
  z.object({ contact_id: z.string(), revision: z.number().int().describe('higher than any revision before') }),
);

export const ContactEffectCompleted = defineEvent(
  'contacts.effect.completed',
  1,
  'A workflow asked for a change of a contact: it was made, or refused, and why.',
  z.object({
    effect_key: z.string(),
    run_id: z.string(),
    status: z.enum(['done', 'refused']),
    reason: z.string().nullable(),
    revision: z.number().int().nullable().describe("the contact's revision after the change"),
  }),
);
