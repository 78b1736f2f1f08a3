import type { AttributeType } from '../attributes/attribute-type.ts';
import { attributeColumn, type ColumnMapping } from './columns.ts';

/** A text that a spreadsheet would run as a formula. Exports put an apostrophe before it, and one more before those that have one. */
const formula = /^'*[=+\-@\t\r]/;

export const guardFormula = (text: string) => (formula.test(text) ? `'${text}` : text);
export const unguardFormula = (text: string) => (text.startsWith("'") && formula.test(text) ? text.slice(1) : text);

/** Says that nothing is known of a consent, where an empty cell would leave it to the account's default. */
export const unknownConsent = 'none';

/** The body of `POST /v2/contacts` that one row of a table stands for. Empty cells say nothing. */
export function bodyOf(
  header: readonly string[],
  cells: readonly string[],
  mapping: ColumnMapping,
  typeOf: (attribute: string) => AttributeType | undefined,
): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [index, column] of header.entries()) {
    const target = Object.hasOwn(mapping, column) ? mapping[column] : null;
    const text = unguardFormula(cells[index] ?? '');
    const cell = text.trim();
    if (target == null || text === '') continue;
    const attribute = attributeColumn(target);
    if (attribute) {
      const type = typeOf(attribute.key) ?? attribute.type;
      put(body, ['attributes', attribute.key], attributeOf(text, type));
    } else if (cell === '') continue;
    else if (target === 'tags') body.tags = listOf(cell);
    else if (target.endsWith('.status') && cell === unknownConsent) put(body, target.split('.').slice(0, -1), null);
    else if (target === 'consent.topics') put(body, ['consent', 'topics'], jsonOf(cell));
    else put(body, target.split('.'), cell);
  }
  return body;
}

/** A cell that is not what its type asks for stays text: the check that follows says so of its row. */
function attributeOf(text: string, type: AttributeType | undefined): unknown {
  const cell = text.trim();
  switch (type) {
    case 'number':
      return cell !== '' && Number.isFinite(Number(cell)) ? Number(cell) : cell;
    case 'boolean':
      return /^(true|yes|1)$/i.test(cell) ? true : /^(false|no|0)$/i.test(cell) ? false : cell;
    case 'string_list':
      return listOf(cell);
    case 'date':
      return cell;
    default:
      return text;
  }
}

/** As a JSON list, or parted by semicolons or commas. */
function listOf(cell: string): unknown {
  const list = cell.startsWith('[') ? jsonOf(cell) : undefined;
  if (Array.isArray(list)) return list;
  return cell
    .split(/[;,]/)
    .map((item) => item.trim())
    .filter(Boolean);
}

function jsonOf(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
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
