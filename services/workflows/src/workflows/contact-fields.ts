import { Address, Contact } from '@mp/contracts/contact';

const fields = new Set(Object.keys(Contact.shape));
const readOnly = new Set(['id', 'status', 'revision', 'created_at', 'updated_at', 'last_seen_at']);

/** What a step may set. */
export const writableMembers: ReadonlySet<string> = new Set([...fields].filter((name) => !readOnly.has(name)));

const addressFields = new Set(Object.keys(Address.shape));

const opening = /\{(?=([{%]))/g;

/** Texts in quotes are values, not names. */
const quoted = /"[^"]*"|'[^']*'/g;
const mention = /(?<![\w.-])contact\.([A-Za-z0-9_]+(?:\.[A-Za-z0-9_-]+)*)/g;

/** Names after `contact.` in a template that no contact has: typing errors that would leave a hole in the mail. */
export function unknownContactFields(template: string): string[] {
  const names = insidesOf(template).flatMap((inside) => [...inside.replace(quoted, ' ').matchAll(mention)].map(([, name = '']) => name));
  return [...new Set(names)].filter((name) => !isField(name));
}

/** What stands in Liquid's outputs and tags. One look from left to right: an end that is missing is looked for once. */
function insidesOf(template: string): string[] {
  const insides: string[] = [];
  const missing = new Set<string>();
  let from = 0;
  for (const { index, 1: kind } of template.matchAll(opening)) {
    const closing = kind === '{' ? '}}' : '%}';
    if (index < from || missing.has(closing)) continue;
    const end = template.indexOf(closing, index + 2);
    if (end < 0) missing.add(closing);
    else {
      insides.push(template.slice(index + 2, end));
      from = end + 2;
    }
  }
  return insides;
}

function isField(name: string) {
  const [first = '', second] = name.split('.');
  if (!fields.has(first)) return false;
  if (second === undefined || first === 'attributes') return true;
  if (first === 'address') return addressFields.has(second);
  if (first === 'consent') return second === 'email' || second === 'sms';
  return second === 'size' || second === 'first' || second === 'last';
}
