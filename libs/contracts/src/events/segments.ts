import { z } from 'zod';
import { AccountErasureReceipt } from '../account-erasure.ts';
import { ErasureReceipt } from '../erasure.ts';
import { defineEvent } from '../event.ts';
import { MembershipCause } from '../membership-cause.ts';

const membership = z.object({
  segment_id: z.string(),
  segment_name: z.string(),
  contact_id: z.string(),
  sequence: z.number().int().describe('Increases with every membership change of this contact in any segment.'),
  at: z.iso.datetime(),
  cause: MembershipCause,
});

export const MembershipEntered = defineEvent('segments.membership.entered', 1, 'A contact entered a segment.', membership);

export const MembershipLeft = defineEvent('segments.membership.left', 1, 'A contact left a segment.', membership);

export const SegmentsContactErased = defineEvent(
  'segments.contact.erased',
  1,
  'Confirms contacts.contact.erased: segments has removed all personal data of the contact.',
  ErasureReceipt,
);

export const SegmentsAccountErased = defineEvent(
  'segments.account.erased',
  1,
  'Confirms platform.account.erased: segments stores nothing about the account any more.',
  AccountErasureReceipt,
);
