import { z } from 'zod';
import { AccountErasureReceipt } from '../account-erasure.ts';
import { ErasureReceipt } from '../erasure.ts';
import { defineEvent } from '../event.ts';
import { contactId, segmentId } from '../ids.ts';
import { MembershipCause } from '../membership-cause.ts';

const membership = z.object({
  segment_id: segmentId,
  segment_name: z.string(),
  contact_id: contactId,
  sequence: z.number().int().describe('Increases with every membership change of this contact in any segment.'),
  at: z.iso.datetime(),
  cause: MembershipCause,
});

export const MembershipEntered = defineEvent({
  type: 'segments.membership.entered',
  version: 1,
  meaning: 'A contact entered a segment.',
  data: membership,
});

export const MembershipLeft = defineEvent({
  type: 'segments.membership.left',
  version: 1,
  meaning: 'A contact left a segment.',
  data: membership,
});

export const SegmentsContactErased = defineEvent({
  type: 'segments.contact.erased',
  version: 1,
  meaning: 'Confirms contacts.contact.erased: segments has removed all personal data of the contact.',
  data: ErasureReceipt,
});

export const SegmentsAccountErased = defineEvent({
  type: 'segments.account.erased',
  version: 1,
  meaning: 'Confirms platform.account.erased: segments no longer stores anything about the account.',
  data: AccountErasureReceipt,
});
