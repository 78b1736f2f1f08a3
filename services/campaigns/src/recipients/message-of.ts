import type { RecipientDocument } from './recipients-store.ts';

/** The fields by which an event identifies an email. */
export const messageOf = (row: RecipientDocument, at: Date) => ({
  recipient_id: row._id,
  contact_id: row.contact_id,
  campaign_id: row.source === 'campaign' ? row.source_id : null,
  workflow_id: row.source === 'workflow' ? row.source_id : null,
  at: at.toISOString(),
});
