import { type UtmParameters, withParameters } from './utm.ts';

const tag = /<a\b/gi;
const href = /\shref\s*=\s*(["'])/gi;

/** The positions of the address in each `<a … href="…">`, in a single pass, so that time is linear in the size of any template. */
function* addressPlaces(html: string): Generator<{ start: number; end: number; quote: string }> {
  let from = 0;
  let tagEnd = -1;
  for (const { index } of html.matchAll(tag)) {
    if (index < from) continue;
    if (tagEnd < index) tagEnd = endAt(html.indexOf('>', index), html);
    from = tagEnd;
    for (const { index: at, 0: head, 1: quote = '"' } of html.slice(index, tagEnd).matchAll(href)) {
      const start = index + at + head.length;
      const end = html.indexOf(quote, start);
      if (end < 0) continue;
      yield { start, end, quote };
      from = end + 1;
      break;
    }
  }
}

const endAt = (found: number, html: string) => (found < 0 ? html.length : found);

/** An address whose host is fixed in the template, so that a contact's fields cannot redirect it to another host. */
const trackable = /^https?:\/\/[a-z0-9.-]+(:\d+)?([/?#]|$)/i;

/** The maximum number of tracked links. Links after that are not tracked. */
const maxLinks = 1_000;

/** Longer URLs are not tracked either. */
const maxUrl = 2_048;

/** A tracked link of a template: it redirects through `/t/`. */
export type TrackedLink = {
  /** The target, or null if Liquid computes it for each email. */
  target: string | null;
};

type Found = TrackedLink & { start: number; quote: string };

function* findLinks(html: string): Generator<Found> {
  let count = 0;
  for (const { start, end, quote } of addressPlaces(html)) {
    const address = html.slice(start, end);
    const target = /\{[{%]/.test(address) ? null : targetOf(address);
    if (target === undefined || !trackable.test(unescapeHtml(address).trim())) continue;
    yield { target, start, quote };
    count += 1;
    if (count === maxLinks) return;
  }
}

/** The tracked links of a template, in order. */
export const trackedLinks = (html: string): TrackedLink[] => [...findLinks(html)].map(({ target }) => ({ target }));

/** Marks the address of each tracked link, so that it can be found in the rendered HTML. */
export function withMarks(html: string, mark: string): string {
  const links = [...findLinks(html)];
  const pieces = links.map(({ start, quote }, number) => {
    const kind = quote === '"' ? 'd' : 's';
    return `${html.slice(links[number - 1]?.start ?? 0, start)}${mark}${number}${kind}:`;
  });
  return pieces.join('') + html.slice(links.at(-1)?.start ?? 0);
}

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
    const end = isAddress ? endAt(html.indexOf(quote, start), html) : start;
    replaced += html.slice(from, at) + (isAddress ? addressOf(Number(number), html.slice(start, end)) : '');
    from = end;
  }
  return replaced + html.slice(from);
}

/** The target of an attribute's address, as a URL that is valid in a header; undefined if it cannot be tracked. */
export function targetOf(address: string): string | undefined {
  const text = unescapeHtml(address).trim();
  if (!URL.canParse(text)) return undefined;
  const { protocol, href: target } = new URL(text);
  return /^https?:$/.test(protocol) && target.length <= maxUrl ? target : undefined;
}

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#34;': '"', '&#39;': "'" };

/** Decodes the entities that occur in the addresses of attributes. */
const unescapeHtml = (text: string) => text.replace(/&(amp|lt|gt|quot|#34|#39);/g, (entity) => entities[entity] ?? entity);

const escaped: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** The address of an attribute with added parameters, as an attribute value; unchanged if it is not a web address. */
export function addressWith(address: string, parameters: UtmParameters): string {
  const target = targetOf(address);
  if (target === undefined) return address;
  return withParameters(target, parameters).replace(/[&<>"']/g, (character) => escaped[character] ?? character);
}
