import { type TrackedLink, targetOf } from '@mp/contracts/tracked-links';

/** The targets of one email's links by number, for links whose URL Liquid computed. The other targets are in the template. */
export type LinkTargets = Readonly<Record<string, string>>;

/** The maximum characters of targets stored per email. Further links are not tracked. */
const maxKept = 16_384;

/**
 * Numbers the links of one email. The target of a number never changes: if the email is sent again, its first copy may have
 * been delivered, so a link with a different target gets a new number.
 */
export function numberLinks(links: readonly TrackedLink[], before: LinkTargets) {
  const targets: Record<string, string> = { ...before };
  const numbers = new Map(Object.entries(before).map(([number, target]) => [target, Number(number)]));
  let kept = Object.values(before).reduce((sum, target) => sum + target.length, 0);
  let next = Math.max(links.length, ...Object.keys(before).map((number) => Number(number) + 1));

  return {
    targets,

    /** The number of a template's link that was rendered to this address; undefined if the link is not tracked. */
    of(link: number, address: string): number | undefined {
      if (links[link]?.target !== null) return link;
      const target = targetOf(address);
      if (target === undefined) return undefined;
      const known = numbers.get(target);
      if (known !== undefined) return known;
      kept += target.length;
      if (kept > maxKept) return undefined;
      const number = targets[link] === undefined ? link : next++;
      targets[number] = target;
      numbers.set(target, number);
      return number;
    },
  };
}

/** The target of a link in a sent email; undefined if the email has no link with this number. */
export const sentTarget = (links: readonly TrackedLink[], targets: LinkTargets = {}, number: number): string | undefined =>
  targets[number] ?? links[number]?.target ?? undefined;

/** The number of tracked links in a sent email. */
export const sentLinkCount = (links: readonly TrackedLink[], targets: LinkTargets = {}): number =>
  links.filter(({ target }) => target !== null).length + Object.keys(targets).length;
