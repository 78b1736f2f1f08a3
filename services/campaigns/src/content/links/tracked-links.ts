import { targetOf } from '@mp/contracts/tracked-links';
import { type UtmParameters, withParameters } from './utm.ts';

/**
 * Replaces each marked address in rendered HTML with the result of `addressOf`, which must be valid as an attribute value.
 * If Liquid rendered the tag as text, such as from a string, no quote precedes the mark: the mark is removed, the text stays.
 */
export function replaceMarked(html: string, mark: string, addressOf: (number: number, rendered: string) => string): string {
  let replaced = '';
  let from = 0;
  for (let at = html.indexOf(mark); at >= 0; at = html.indexOf(mark, from)) {
    const [head = '', number, kind] = /^(\d+)([ds]):/.exec(html.slice(at + mark.length, at + mark.length + 10)) ?? [];
    const start = at + mark.length + head.length;
    const quote = kind === 's' ? "'" : '"';
    const isAddress = kind !== undefined && html[at - 1] === quote;
    const found = html.indexOf(quote, start);
    const end = !isAddress ? start : found < 0 ? html.length : found;
    replaced += html.slice(from, at) + (isAddress ? addressOf(Number(number), html.slice(start, end)) : '');
    from = end;
  }
  return replaced + html.slice(from);
}

const escaped: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** The address of an attribute with added parameters, as an attribute value; unchanged if it is not a web address. */
export function addressWith(address: string, parameters: UtmParameters): string {
  const target = targetOf(address);
  if (target === undefined) return address;
  return withParameters(target, parameters).replace(/[&<>"']/g, (character) => escaped[character] ?? character);
}
