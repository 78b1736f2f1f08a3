import type { AccountId, ContactId, SegmentId } from '@mp/ids';
import type { Cause } from './cause.ts';

/** One membership of a contact in a segment, from `entered_at` until `left_at` (exclusive). */
export type MembershipDocument = {
  _id: string;
  account_id: AccountId;
  segment_id: SegmentId;
  contact_id: ContactId;
  /** The version of the segment under which the contact entered. */
  version: number;
  entered_at: Date;
  /** `stillInside` until the contact leaves: a date rather than null, so that one comparison covers present and past. */
  left_at: Date;
  /** Why the contact entered and left; absent for changes before causes were stored. */
  entered_cause?: Cause;
  left_cause?: Cause;
  /** The API key, OAuth client or user that added or removed the contact. */
  entered_by?: string;
  /** The contact whose merge into this one caused it to enter. */
  merged_from?: ContactId;
  left_by?: string;
};

export const stillInside = new Date('9999-12-31T00:00:00.000Z');
