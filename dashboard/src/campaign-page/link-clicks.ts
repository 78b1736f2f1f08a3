import { withMarks } from '@mp/contracts/tracked-links';
import type { BreakdownItem } from '../campaigns/report.ts';

const mark = 'mp-link-';
const marked = new RegExp(`^${mark}(\\d+)[ds]:`);

/**
 * The email as it was written, with the number of each tracked link before its address. Unlike a rendered email, it has every link:
 * also those that only some recipients get.
 */
export const clickMapHtml = (html: string): string =>
  withMarks(html, mark)
    .replace(/\{%-?\s*comment\s*-?%\}.*?\{%-?\s*endcomment\s*-?%\}/gs, '')
    .replace(/\{%.*?%\}/gs, '');

/** The address and the number of a link; the number is undefined if the link is not tracked. */
export function numberedLink(address: string): { href: string; number?: number } {
  const [head, number] = marked.exec(address) ?? [];
  return head === undefined ? { href: address } : { href: address.slice(head.length), number: Number(number) };
}

/** The recipients of a variant that clicked each link, by the number of the link; the variant is null without an A/B test. */
export const clicksByLink = (items: readonly BreakdownItem[], variant: string | null): ReadonlyMap<number, number> =>
  new Map(
    items.flatMap(({ variant: of, link, clicked }) => (link !== null && of === variant ? [[link, clicked.unique.human] as const] : [])),
  );
