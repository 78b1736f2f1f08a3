import { booleanIn, countryIn, dayIn, fullNameTarget, jsonIn, listIn, namesIn } from '@mp/contracts/import-cells';
import { unguardFormula } from '@mp/service-kit/formulas';
import type { AttributeType, AttributeTypes } from '../attributes/attribute-type.ts';
import { type AttributeColumn, attributeColumn, unknownConsent } from '../files/columns.ts';

/** A column that fills a field of a contact. */
export type FilledColumn = { index: number; target: string; attribute: AttributeColumn | undefined };

export const filledColumns = (targets: readonly (string | null)[]): FilledColumn[] =>
  targets.flatMap((target, index) => (target === null ? [] : [{ index, target, attribute: attributeColumn(target) }]));

/** The attribute types stated in column names. */
export const statedTypes = (columns: readonly FilledColumn[]): AttributeTypes =>
  new Map(columns.flatMap(({ attribute }) => (attribute?.type ? [[attribute.key, attribute.type] as const] : [])));

/** The body of `POST /v2/contacts` for one row of a table. Empty cells are omitted. */
export function bodyOf(columns: readonly FilledColumn[], cells: readonly string[], declared: AttributeTypes): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const { index, target, attribute } of columns) {
    const text = unguardFormula(cells[index] ?? '');
    if (text === '') continue;
    const cell = text.trim();
    if (attribute) put(body, ['attributes', attribute.key], attributeOf(text, declared.get(attribute.key) ?? attribute.type, attribute));
    else if (cell === '') continue;
    else if (target === 'tags') body.tags = listIn(cell);
    else if (target.endsWith('.status') && cell === unknownConsent) put(body, target.split('.').slice(0, -1), null);
    else if (target === 'consent.topics') put(body, ['consent', 'topics'], jsonIn(cell));
    else if (target === fullNameTarget) Object.assign(body, namesIn(cell));
    else if (target === 'address.country') put(body, target.split('.'), countryIn(cell) ?? cell);
    else put(body, target.split('.'), cell);
  }
  return body;
}

/** A cell that does not fit its type stays text; the check that follows reports it as an error of the row. */
function attributeOf(text: string, type: AttributeType | undefined, { order }: AttributeColumn): unknown {
  const cell = text.trim();
  switch (type) {
    case 'number':
      return cell !== '' && Number.isFinite(Number(cell)) ? Number(cell) : cell;
    case 'boolean':
      return booleanIn(cell) ?? cell;
    case 'string_list':
      return listIn(cell);
    case 'date':
      return (order && dayIn(cell, order)) ?? cell;
    default:
      return text;
  }
}

function put(body: Record<string, unknown>, path: readonly string[], value: unknown) {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    body[name] = value;
    return;
  }
  const inner = body[name];
  const members: Record<string, unknown> = typeof inner === 'object' && inner !== null ? { ...inner } : {};
  put(members, rest, value);
  body[name] = members;
}
