import type { Contact } from '../contacts/contacts.ts';
import { Tags } from '../contacts/tags.tsx';
import { type CellField, cellText, isTags } from './cell-field.ts';

/** A field in the list at rest. */
export const CellValue = ({ contact, cell }: { contact: Contact; cell: CellField }) =>
  isTags(cell) ? <Tags tags={contact.tags} /> : cellText(contact, cell);
