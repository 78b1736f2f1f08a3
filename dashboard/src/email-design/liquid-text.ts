/** Liquid inside a text: outputs and tags. */
const liquid = /(\{\{.*?\}\}|\{%.*?%\})/s;

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');

/** Applies `change` to the text outside of Liquid, and `inside` to the Liquid. */
const around = (text: string, change: (text: string) => string, inside: (liquid: string) => string) =>
  text
    .split(liquid)
    .map((part, index) => (index % 2 === 1 ? inside(part) : change(part)))
    .join('');

/** Text for HTML. Liquid in it stays as it is. */
export const htmlText = (text: string) => around(text, escaped, (part) => part);

/** The value of an attribute, for double quotes. Texts in its Liquid get single ones. */
export const htmlAttribute = (text: string) => around(text, escaped, (part) => part.replaceAll('"', "'"));

/** A text in Liquid, which has no escapes: one with both kinds of quotes gets typographic ones. */
export function quoted(text: string): string {
  if (!text.includes('"')) return `"${text}"`;
  return text.includes("'") ? `"${text.replaceAll('"', '”')}"` : `'${text}'`;
}

/** The Liquid of a merge tag. Braces in a fallback would end it. */
export function mergeTag(field: string, fallback: string): string {
  const text = fallback.replace(/[{}%]/g, '').trim();
  return text === '' ? `{{ ${field} }}` : `{{ ${field} | default: ${quoted(text)} }}`;
}

/** A merge tag as it is typed or pasted: its field, and its fallback in either kind of quotes. */
const tag =
  /\{\{\s*((?:contact|data|responses)(?:\.[\w-]+|\['[^'{}%]+'\]|\["[^"{}%]+"\])+|unsubscribe_url)\s*(?:\|\s*default:\s*(?:"([^"]*)"|'([^']*)')\s*)?\}\}/;

export const typedTag = new RegExp(`${tag.source}$`);
export const pastedTags = new RegExp(tag.source, 'g');

/** What a tag that was typed or pasted names. */
export const partsOfTag = ([, field = '', double, single = '']: readonly string[]) => ({ field, fallback: double ?? single });
