import { type TrackedLink, targetOf } from '../templates/tracked-links.ts';

/** Where links of one mail lead, by their number: of those only that Liquid decided. The template says the others. */
export type LinkTargets = Readonly<Record<string, string>>;

/** So much is kept of one mail; its other links lead where they say, not through us. */
const maxKept = 16_384;

/**
 * Gives the links of one mail their numbers. A number never changes where it leads: when the message is sent again, and
 * its first copy may have arrived, what leads elsewhere now has a new number.
 */
export function numberLinks(links: readonly TrackedLink[], before: LinkTargets) {
  const targets: Record<string, string> = { ...before };
  const numbers = new Map(Object.entries(before).map(([number, target]) => [target, Number(number)]));
  let kept = Object.values(before).reduce((sum, target) => sum + target.length, 0);
  let next = Math.max(links.length, ...Object.keys(before).map((number) => Number(number) + 1));

  return {
    targets,

    /** The number of a link of the template that was rendered to this address; undefined when it is not to be followed. */
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

/** Where a link of a sent mail leads; undefined when it has none of this number. */
export const sentTarget = (links: readonly TrackedLink[], targets: LinkTargets = {}, number: number): string | undefined =>
  targets[number] ?? links[number]?.target ?? undefined;

/** How many links a sent mail has that are followed through us. */
export const sentLinkCount = (links: readonly TrackedLink[], targets: LinkTargets = {}): number =>
  links.filter(({ target }) => target !== null).length + Object.keys(targets).length;
