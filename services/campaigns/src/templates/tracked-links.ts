import { compileTemplate } from './liquid.ts';

const tag = /<a\b/gi;
const href = /\shref\s*=\s*(["'])/gi;

/** Where the address of each `<a … href="…">` stands. One look from left to right: whatever the template holds, its time grows with its size. */
function* addressPlaces(html: string): Generator<{ start: number; end: number }> {
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
      yield { start, end };
      from = end + 1;
      break;
    }
  }
}

const endAt = (found: number, html: string) => (found < 0 ? html.length : found);

/** An address whose host stands in the template itself: what a contact's fields hold cannot lead elsewhere. */
const trackable = /^https?:\/\/[a-z0-9.-]+(:\d+)?([/?#]|$)/i;

/** The addresses of a template that are followed through us, in order; Liquid in them is still to be rendered. */
export function trackedLinks(html: string): string[] {
  return [...addressPlaces(html)].map(({ start, end }) => html.slice(start, end)).filter(isTrackable);
}

/** The template with each of those addresses replaced by a reading of `tracked[n]`. */
export function withTrackedLinks(html: string): string {
  const tracked = [...addressPlaces(html)].filter(({ start, end }) => isTrackable(html.slice(start, end)));
  const pieces = tracked.map(({ start }, number) => `${html.slice(tracked[number - 1]?.end ?? 0, start)}{{ tracked[${number}] }}`);
  return pieces.join('') + html.slice(tracked.at(-1)?.end ?? 0);
}

/** Where link `number` leads for this scope, or undefined when the template has no such link. */
export function targetOf(html: string, number: number, scope: object): string | undefined {
  const address = trackedLinks(html)[number];
  if (address === undefined) return undefined;
  const target = unescapeHtml(compileTemplate(address, 'html').render(scope)).trim();
  return URL.canParse(target) && /^https?:$/.test(new URL(target).protocol) ? target : undefined;
}

const isTrackable = (address: string) => trackable.test(unescapeHtml(address).trim());

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#34;': '"', '&#39;': "'" };

/** An attribute's value as a browser reads it, as far as addresses need it. */
const unescapeHtml = (text: string) => text.replace(/&(amp|lt|gt|quot|#34|#39);/g, (entity) => entities[entity] ?? entity);
