import { compileTemplate } from './liquid.ts';

/** `<a … href="…">`, with what stands before the address, the quote and the address. */
const anchor = /(<a\b[^>]*?\shref\s*=\s*)(["'])(.*?)\2/gis;

/** An address whose host stands in the template itself: what a contact's fields hold cannot lead elsewhere. */
const trackable = /^https?:\/\/[a-z0-9.-]+(:\d+)?([/?#]|$)/i;

/** The addresses of a template that are followed through us, in order; Liquid in them is still to be rendered. */
export function trackedLinks(html: string): string[] {
  return [...html.matchAll(anchor)].flatMap(([, , , address = '']) => (isTrackable(address) ? [address] : []));
}

/** The template with each of those addresses replaced by a reading of `tracked[n]`. */
export function withTrackedLinks(html: string): string {
  let number = 0;
  return html.replace(anchor, (whole, before: string, quote: string, address: string) => {
    if (!isTrackable(address)) return whole;
    number += 1;
    return `${before}${quote}{{ tracked[${number - 1}] }}${quote}`;
  });
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
