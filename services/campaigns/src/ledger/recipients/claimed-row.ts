import type { RecipientState } from './recipient.ts';
import type { RecipientDocument } from './recipient-row.ts';

/** A claimed row, with the fencing token that every write to it names. */
export type Claimed = RecipientDocument & { lease_token: string };

/** The states of a row that can be claimed. */
export const waiting: readonly RecipientState[] = ['queued', 'deferred'];

/** The row, as long as its claim holds. */
export const held = (row: Claimed) => ({ _id: row._id, account_id: row.account_id, lease_token: row.lease_token });
