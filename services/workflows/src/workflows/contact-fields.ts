import { Address, Contact } from '@mp/contracts/contact';

const fields = new Set(Object.keys(Contact.shape));
const readOnly = new Set(['id', 'status', 'revision', 'created_at', 'updated_at', 'last_seen_at']);

/** What a step may set. */
export const writableMembers: ReadonlySet<string> = new Set([...fields].filter((name) => !readOnly.has(name)));

const addressFields = new Set(Object.keys(Address.shape));

/** Liquid tags and outputs; texts in quotes inside them are values, not names. */
const marked = /\{\{(.*?)\}\}|\{%(.*?)%\}/gs;
const quoted = /"[^"]*"|'[^']*'/g;
const mention = /(?<![\w.-])contact\.([A-Za-z0-9_]+(?:\.[A-Za-z0-9_-]+)*)/g;

/** Names after `contact.` in a template that no contact has: typing errors that would leave a hole in the mail. */
export function unknownContactFields(template: string): string[] {
  const names = [...template.matchAll(marked)].flatMap(([, output = '', tag = '']) =>
    [...`${output} ${tag}`.replace(quoted, ' ').matchAll(mention)].map(([, name = '']) => name),
  );
  return [...new Set(names)].filter((name) => !isField(name));
}

function isField(name: string) {
  const [first = '', second] = name.split('.');
  if (!fields.has(first)) return false;
  if (second === undefined || first === 'attributes') return true;
  if (first === 'address') return addressFields.has(second);
  if (first === 'consent') return second === 'email' || second === 'sms';
  return second === 'size' || second === 'first' || second === 'last';
}
