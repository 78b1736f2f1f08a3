import { type CellField, cellText, isTags } from './cell-field.ts';
import type { Contact } from './contacts.ts';
import { Tags } from './tags.tsx';

/** A field in the list at rest. */
export const CellValue = ({ contact, cell }: { contact: Contact; cell: CellField }) =>
  isTags(cell) ? <Tags tags={contact.tags} /> : cellText(contact, cell);
