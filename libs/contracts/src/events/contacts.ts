import { z } from 'zod';
import { Channel, ConsentMethod, ConsentStatus, ConsentTopic, Contact, SuppressionKind, SuppressionReason } from '../contact.ts';
import { defineEvent } from '../event.ts';

/** The contact as it is after the change: at most some 70 KiB, and all that rules, consent checks and templates ask for. */
const contact = Contact;

const ofContact = ({ contact }: { contact: Contact }) => [contact.id];

export const ContactCreated = defineEvent('contacts.contact.created', 1, 'A contact was created.', z.object({ contact }), ofContact);

export const ContactUpdated = defineEvent(
  'contacts.contact.updated',
  1,
  'A contact changed; an update that changes nothing publishes nothing.',
  z.object({ contact, changed: z.array(z.string()).describe('paths of the changed fields, such as `address.city` or `attributes.plan`') }),
  ofContact,
);

export const ContactDeleted = defineEvent(
  'contacts.contact.deleted',
  1,
  'A contact is gone: deleted, erased, or merged into another. Its id comes back only when a merge is undone: as a contact.created ' +
    'of a higher revision, so a tombstone gives way to a higher revision and to nothing else.',
  z.object({
    contact_id: z.string(),
    revision: z.number().int().describe('higher than any revision before'),
    merged_into: z.string().optional().describe('the contact it was merged into; contact.merged tells more'),
    merged_ids: z.array(z.string()).optional().describe('ids of contacts that had been merged into it, which go with it'),
    erased: z.boolean().optional().describe('true: contact.erased is told too'),
  }),
);

const merge = z.object({
  merge_id: z.string(),
  contact: contact.describe('the contact that stays, as it is after the change'),
  source_id: z.string().describe('the contact that was merged into it'),
  source_revision: z.number().int(),
});

export const ContactMerged = defineEvent(
  'contacts.contact.merged',
  1,
  'One contact was merged into another. Told together with contact.updated of the one that stays and contact.deleted of the other, ' +
    'which alone keep a projection of contacts right; this one is for what hangs on the other id: it now belongs to `contact`.',
  merge.extend({ changed: z.array(z.string()).describe('paths in which the contact that stays changed') }),
  ofContact,
);

export const ContactUnmerged = defineEvent(
  'contacts.contact.unmerged',
  1,
  'A merge was undone. Told together with contact.updated of the one that stayed and contact.created of the one that is back, with a ' +
    'higher revision than its contact.deleted: what hung on `source_id` before the merge belongs to it again.',
  merge.extend({ source: contact.describe('the contact that is back') }),
  ({ contact, source }) => [contact.id, source.id],
);

export const ContactErased = defineEvent(
  'contacts.contact.erased',
  1,
  'All personal data of a contact is to be removed, also from histories. Told together with contact.deleted. Each service that keeps ' +
    'anything answers with `<service>.contact.erased` once it is gone, again for every telling of this.',
  z.object({
    erasure_id: z.string(),
    contact_id: z.string(),
    merged_ids: z.array(z.string()).describe('ids of contacts that had been merged into it: the same person'),
    revision: z.number().int(),
  }),
);

export const ConsentChanged = defineEvent(
  'contacts.consent.changed',
  1,
  'What a contact agreed to changed, on one channel or for one topic of it. The contact itself comes with contact.updated.',
  z.object({
    contact_id: z.string(),
    revision: z.number().int(),
    channel: Channel,
    topic: ConsentTopic.nullable().describe('null: the channel as a whole'),
    before: ConsentStatus.nullable(),
    status: ConsentStatus.nullable().describe('null: nothing is known any more'),
    method: ConsentMethod.nullable(),
    at: z.iso.datetime(),
    address_hash: z
      .string()
      .max(100)
      .optional()
      .describe("`suppressionHash` of the contact's e-mail address: after a restore, a withdrawal holds even where the contact is lost"),
  }),
  ({ address_hash }) => (address_hash === undefined ? [] : [address_hash]),
);

const suppression = z.object({
  suppression_id: z.string(),
  kind: SuppressionKind,
  value: z.string().nullable().describe('the address or domain as it is compared; null once only its hash is kept'),
  hash: z.string().describe('`suppressionHash` of the account, kind and value'),
  reason: SuppressionReason,
  at: z.iso.datetime(),
});

const ofAddress = ({ value, hash }: z.output<typeof suppression>) => (value === null ? [] : [hash]);

export const SuppressionAdded = defineEvent(
  'contacts.suppression.added',
  1,
  'An address or a whole domain is not to be written to. Contacts that have it get their status by contact.updated of their own.',
  suppression,
  ofAddress,
);

export const SuppressionRemoved = defineEvent(
  'contacts.suppression.removed',
  1,
  'An address or a domain may be written to again, as far as consent allows.',
  suppression,
  ofAddress,
);

export const ImportCompleted = defineEvent(
  'contacts.import.completed',
  1,
  'An import came to its end. Its contacts were told one by one.',
  z.object({
    import_id: z.string(),
    status: z.enum(['completed', 'failed', 'cancelled']),
    dry_run: z.boolean(),
    rows: z.object({
      read: z.number().int(),
      created: z.number().int(),
      updated: z.number().int(),
      unchanged: z.number().int(),
      failed: z.number().int(),
    }),
  }),
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
