const tag = /<a\b/gi;
const href = /\shref\s*=\s*(["'])/gi;

/** Where the address of each `<a … href="…">` stands. One look from left to right: whatever the template holds, its time grows with its size. */
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

/** An address whose host stands in the template itself: what a contact's fields hold cannot lead elsewhere. */
const trackable = /^https?:\/\/[a-z0-9.-]+(:\d+)?([/?#]|$)/i;

/** More than anybody follows. Links after that lead where they say, not through us. */
const maxLinks = 1_000;

/** Longer ones lead where they say, too. */
const maxUrl = 2_048;

/** A link of a template that is followed through us. */
export type TrackedLink = {
  /** Where it leads, or null when Liquid decides that for each mail. */
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

/** The links of a template that are followed through us, in order. */
export const trackedLinks = (html: string): TrackedLink[] => [...findLinks(html)].map(({ target }) => ({ target }));

/** The template with each of those addresses marked, so that it is found again in what was rendered. */
export function withMarks(html: string, mark: string): string {
  const links = [...findLinks(html)];
  const pieces = links.map(({ start, quote }, number) => {
    const kind = quote === '"' ? 'd' : 's';
    return `${html.slice(links[number - 1]?.start ?? 0, start)}${mark}${number}${kind}:`;
  });
  return pieces.join('') + html.slice(links.at(-1)?.start ?? 0);
}

/**
 * Replaces each marked address of rendered HTML. What comes for it is written as an attribute's value. Where Liquid made
 * text of the tag, as of one in a string, the mark has no quote before it: it is taken away, and the text stays.
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

/** Where an attribute's address leads, as a URL that can stand in a header; undefined when it cannot be followed through us. */
export function targetOf(address: string): string | undefined {
  const text = unescapeHtml(address).trim();
  if (!URL.canParse(text)) return undefined;
  const { protocol, href: target } = new URL(text);
  return /^https?:$/.test(protocol) && target.length <= maxUrl ? target : undefined;
}

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#34;': '"', '&#39;': "'" };

/** An attribute's value as a browser reads it, as far as addresses need it. */
const unescapeHtml = (text: string) => text.replace(/&(amp|lt|gt|quot|#34|#39);/g, (entity) => entities[entity] ?? entity);
