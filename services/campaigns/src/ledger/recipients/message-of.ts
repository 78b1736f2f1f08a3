import { suppressionHash } from '@mp/contracts/contact';
import { isTest, noContact, type RecipientDocument } from './recipient-row.ts';

/** The fields by which an event identifies an email. */
export const messageOf = (row: RecipientDocument, at: Date) => ({
  recipient_id: row._id,
  contact_id: row.contact_id,
  campaign_id: row.source === 'campaign' ? row.source_id : null,
  workflow_id: row.source === 'workflow' ? row.source_id : null,
  ...(row.source === 'workflow' && { effect_key: row.source_key }),
  at: at.toISOString(),
});

/** The event of an address that must no longer be emailed and has no contact; empty for all others. */
export const rejectedAddress = (row: RecipientDocument, reason: 'hard_bounce' | 'complaint', at: Date) =>
  row.contact_id === noContact && row.address !== null && !isTest(row)
    ? [{ address_hash: suppressionHash(row.account_id, 'email', row.address), reason, at: at.toISOString() }]
    : [];
