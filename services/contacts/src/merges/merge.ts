import { Contact } from '@mp/contracts/contact';
import { ApiError } from '@mp/contracts/errors';
import { contactId } from '@mp/contracts/ids';
import type { ContactId } from '@mp/ids';
import { z } from 'zod';

export const Merge = z
  .object({
    id: z.string(),
    contact_id: contactId.describe('The surviving contact.'),
    source_id: contactId.describe('The contact that was merged into it. Its id now refers to `contact_id`.'),
    status: z.enum(['merged', 'undone']),
    contact: Contact.describe('The surviving contact as it was before the merge.'),
    source: Contact.describe('The merged contact as it was before the merge.'),
    created_at: z.iso.datetime(),
    undone_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Merge' });
export type Merge = z.infer<typeof Merge>;

/** Both contacts before the merge, and the result: enough to separate them again. */
export type MergeRecord = Merge & { merged: Contact; source_merged_ids: ContactId[] };

export const alreadyUndone = (id: string) => new ApiError('INVALID_STATE', `The merge ${id} has already been undone.`);
export const laterFirst = (later: string) =>
  new ApiError('INVALID_STATE', `A later merge into this contact is still in force; undo ${later} first.`);
export const leftWithoutIdentifier = () =>
  new ApiError('INVALID_STATE', 'The surviving contact would have no email, phone or external_id; give it one of its own first.');
