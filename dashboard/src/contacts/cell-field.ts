import type { Contact, ContactChange } from './contacts.ts';

type TextField = 'first_name' | 'last_name' | 'company' | 'job_title';

/** A field of a contact that is edited in the list, with its name inside a sentence. */
export type CellField = { label: string } & ({ field: TextField } | { attribute: string; type: 'string' | 'number' });

export const cellKey = (id: string, cell: CellField) => `${id} ${'field' in cell ? cell.field : `attributes.${cell.attribute}`}`;

export const attributeIn = ({ attributes }: Contact, key: string) => (Object.hasOwn(attributes, key) ? attributes[key] : undefined);

/** The value as it is shown and edited. */
export const cellText = (contact: Contact, cell: CellField): string =>
  String(('field' in cell ? contact[cell.field] : attributeIn(contact, cell.attribute)) ?? '');

/** What is wrong with the text, if it is no value of the field. */
export function cellProblem(cell: CellField, text: string): string | undefined {
  const isNumber = 'attribute' in cell && cell.type === 'number';
  return isNumber && !Number.isFinite(Number(text)) ? 'Enter a number, such as 4.5.' : undefined;
}

/** The request body that saves the text. An empty text clears the field. */
export function cellChange(cell: CellField, text: string): ContactChange {
  const trimmed = text.trim() || null;
  if ('field' in cell) {
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
    const changed = { ...contact };
    changed[cell.field] = trimmed;
    return changed;
  }
  const { [cell.attribute]: _, ...others } = contact.attributes;
  if (trimmed === null) return { ...contact, attributes: others };
  const value = cell.type === 'number' ? Number(trimmed) : trimmed;
  return { ...contact, attributes: { ...contact.attributes, [cell.attribute]: value } };
}
