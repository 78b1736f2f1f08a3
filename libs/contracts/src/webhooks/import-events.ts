import { ImportCompleted } from '../events/contacts.ts';
import { defineWebhookEvent } from './webhook-event.ts';

export const importCompleted = defineWebhookEvent({
  type: 'import.completed',
  summary: 'An import ended',
  source: ImportCompleted,
  data: ImportCompleted.data,
  content: ({ data }) => ({ data, contactIds: [] }),
});
