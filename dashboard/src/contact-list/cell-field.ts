import type { Contact, ContactChange } from '../contacts/contacts.ts';
import { commaList } from '../form/comma-list.ts';

type TextField = 'first_name' | 'last_name' | 'company' | 'job_title';

/** A field of a contact that is edited in the list, with its name inside a sentence. */
export type CellField = { label: string } & ({ field: TextField } | { field: 'tags' } | { attribute: string; type: 'string' | 'number' });

export const cellKey = (id: string, cell: CellField) => `${id} ${'field' in cell ? cell.field : `attributes.${cell.attribute}`}`;

export const attributeIn = ({ attributes }: Contact, key: string) => (Object.hasOwn(attributes, key) ? attributes[key] : undefined);

/** The value as it is edited. */
export function cellText(contact: Contact, cell: CellField): string {
  const value = 'field' in cell ? contact[cell.field] : attributeIn(contact, cell.attribute);
  return Array.isArray(value) ? value.join(', ') : String(value ?? '');
}

/** An input would join the lines of a text, and split a tag at its comma. */
export const fitsInput = (contact: Contact, cell: CellField) =>
  !cellText(contact, cell).includes('\n') && !(isTags(cell) && contact.tags.some((tag) => tag.includes(',')));

export const isTags = (cell: CellField) => 'field' in cell && cell.field === 'tags';

/** What is wrong with the text, if it is not a value of the field. */
export function cellProblem(cell: CellField, text: string): string | undefined {
  const isNumber = 'attribute' in cell && cell.type === 'number';
  return isNumber && !Number.isFinite(Number(text)) ? 'Enter a number, such as 4.5.' : undefined;
}

const tagsIn = (text: string) => [...new Set(commaList(text))];

/** The request body that saves the text. An empty text clears the field. */
export function cellChange(cell: CellField, text: string): ContactChange {
  const trimmed = text.trim() || null;
  if ('field' in cell) {
    if (cell.field === 'tags') return { tags: tagsIn(text) };
    const change: Partial<Record<TextField, string | null>> = {};
    change[cell.field] = trimmed;
    return change;
  }
  return { attributes: { [cell.attribute]: trimmed !== null && cell.type === 'number' ? Number(trimmed) : trimmed } };
}

/** The contact as it will be once the text is saved. */
export function withCellText(contact: Contact, cell: CellField, text: string): Contact {
  const trimmed = text.trim() || null;
  if ('field' in cell) {
    if (cell.field === 'tags') return { ...contact, tags: tagsIn(text) };
    const changed = { ...contact };
    changed[cell.field] = trimmed;
    return changed;
  }
  const { [cell.attribute]: _, ...others } = contact.attributes;
  if (trimmed === null) return { ...contact, attributes: others };
  const value = cell.type === 'number' ? Number(trimmed) : trimmed;
  return { ...contact, attributes: { ...contact.attributes, [cell.attribute]: value } };
}
