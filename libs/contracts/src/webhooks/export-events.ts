import { ExportCompleted } from '../events/contacts.ts';
import { defineWebhookEvent } from './webhook-event.ts';

export const exportCompleted = defineWebhookEvent({
  type: 'export.completed',
  summary: 'An export ended',
  source: ExportCompleted,
  data: ExportCompleted.data,
  content: ({ data }) => ({ data, contactIds: [] }),
});
