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

/** Puts the mark, the number and the kind of quote (`d` or `s`), such as `mark3d:`, before the address of each tracked link. */
export function withMarks(html: string, mark: string): string {
  const links = [...findLinks(html)];
  const pieces = links.map(({ start, quote }, number) => {
    const kind = quote === '"' ? 'd' : 's';
    return `${html.slice(links[number - 1]?.start ?? 0, start)}${mark}${number}${kind}:`;
  });
  return pieces.join('') + html.slice(links.at(-1)?.start ?? 0);
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
