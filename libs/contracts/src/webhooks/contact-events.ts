import { z } from 'zod';
import { Contact } from '../contact.ts';
import { ConsentChanged, ContactCreated, ContactDeleted, ContactErased, ContactMerged, ContactUpdated } from '../events/contacts.ts';
import { contactId } from '../ids.ts';
import { defineWebhookEvent } from './webhook-event.ts';

const revision = z.number().int().describe('Increases with every change of the contact: the highest is the newest.');

export const contactCreated = defineWebhookEvent({
  type: 'contact.created',
  summary: 'A contact was created',
  source: ContactCreated,
  data: Contact,
  content: ({ data: { contact } }) => ({ data: contact, contactIds: [contact.id] }),
});

export const contactUpdated = defineWebhookEvent({
  type: 'contact.updated',
  summary: 'A contact changed',
  source: ContactUpdated,
  data: Contact,
  content: ({ data: { contact, changed } }) => ({ data: contact, changed, contactIds: [contact.id] }),
});

export const contactDeleted = defineWebhookEvent({
  type: 'contact.deleted',
  summary: 'A contact was deleted, erased or merged into another',
  source: ContactDeleted,
  data: z.object({
    id: z.string(),
    revision,
    merged_into: contactId.nullable().describe('The contact it was merged into.'),
    erased: z.boolean().describe('Whether the person was erased.'),
  }),
  content: ({ data: { contact_id, revision, merged_into = null, erased = false } }) => ({
    data: { id: contact_id, revision, merged_into, erased },
    contactIds: [],
  }),
});

export const contactErased = defineWebhookEvent({
  type: 'contact.erased',
  summary: 'A person was erased; remove your copies',
  source: ContactErased,
  data: z.object({
    id: z.string(),
    revision,
    merged_ids: z.array(contactId).describe('IDs of contacts that had been merged into it; erase them as well.'),
    erasure_id: z.string(),
  }),
  content: ({ data: { contact_id, ...data } }) => ({ data: { id: contact_id, ...data }, contactIds: [] }),
});

export const contactMerged = defineWebhookEvent({
  type: 'contact.merged',
  summary: 'A contact was merged into another',
  source: ContactMerged,
  data: z.object({
    contact: Contact.describe('The survivor after the merge.'),
    source_id: contactId.describe('The contact that was merged into it and is deleted.'),
    merge_id: z.string(),
  }),
  content: ({ data: { contact, source_id, merge_id, changed } }) => ({
    data: { contact, source_id, merge_id },
    changed,
    contactIds: [contact.id, source_id],
  }),
});

export const contactConsentChanged = defineWebhookEvent({
  type: 'contact.consent_changed',
  summary: 'The consent of a contact changed, for a channel or a topic',
  source: ConsentChanged,
  data: ConsentChanged.data.omit({ address_hash: true }),
  content: ({ data: { address_hash: _, ...data } }) => ({ data, contactIds: [data.contact_id] }),
});
