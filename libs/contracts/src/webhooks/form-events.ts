import { FormConfirmed, FormFlooded, FormSubmitted } from '../events/contacts.ts';
import { defineWebhookEvent } from './webhook-event.ts';

export const formSubmitted = defineWebhookEvent({
  type: 'form.submitted',
  summary: 'A visitor submitted a form',
  source: FormSubmitted,
  data: FormSubmitted.data,
  content: ({ data }) => ({ data, contactIds: [data.contact_id] }),
});

export const formConfirmed = defineWebhookEvent({
  type: 'form.confirmed',
  summary: 'A visitor confirmed a submission by email',
  source: FormConfirmed,
  data: FormConfirmed.data,
  content: ({ data }) => ({ data, contactIds: [data.contact_id] }),
});

export const formFlooded = defineWebhookEvent({
  type: 'form.flooded',
  summary: 'A form has so many submissions that it sends no more confirmation emails for now',
  source: FormFlooded,
  data: FormFlooded.data,
  content: ({ data }) => ({ data, contactIds: [] }),
});
