/** The lengths, in quarters of an hour, for which visitors are counted from every start: an hour, and days of 24, 23 and 25 hours. */
export const windowLengths = [4, 96, 92, 100] as const;
export type WindowLength = (typeof windowLengths)[number];
export const isWindowLength = (quarters: number): quarters is WindowLength => windowLengths.some((span) => span === quarters);

export const quartersADay = 96;
const longest = Math.max(...windowLengths);

/** The numbers of the UTC days on which a visit can share a span with a visit at this quarter of an hour. */
export function daysAround(quarter: number): number[] {
  const [first, last] = [Math.floor((quarter - longest + 1) / quartersADay), Math.floor((quarter + longest - 1) / quartersADay)];
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** The change `by` in the number of visitors from one start of a span to the next, within a UTC day. */
export type Step = { day: number; span: WindowLength; quarter: number; by: number };

/**
 * Counts visitors in all windowLengths of these lengths at once. A visitor newly seen at `at` is new in the surrounding windowLengths in
 * which it was not seen before. The starts of these windowLengths are contiguous, so only two numbers change: a step up at the
 * first start and a step down after the last. The sum of a day's steps up to a quarter is the number of visitors in the
 * span that starts there. The result does not depend on the order of events.
 */
export function createWindowCounts() {
  const steps = new Map<string, Step>();

  function step(start: number, span: WindowLength, by: number) {
    const [day, quarter] = [Math.floor(start / quartersADay), start - Math.floor(start / quartersADay) * quartersADay];
    const key = `${day} ${span} ${quarter}`;
    steps.set(key, { day, span, quarter, by: (steps.get(key)?.by ?? 0) + by });
  }

  /** Adds a visitor to the windowLengths that start from `first` to `last`. */
  function add(span: WindowLength, first: number, last: number) {
    for (let from = first; from <= last; ) {
      const nextDay = (Math.floor(from / quartersADay) + 1) * quartersADay;
      step(from, span, 1);
      if (last + 1 < nextDay) step(last + 1, span, -1);
      from = nextDay;
    }
  }

  return {
    /** Adds the quarters `seen` of a visitor that is already counted in the quarters `known`. */
    seen(known: Iterable<number>, seen: Iterable<number>) {
      const there = [...known].sort((a, b) => a - b);
      for (const at of seen) {
        const found = there.findIndex((quarter) => quarter >= at);
        const place = found === -1 ? there.length : found;
        if (there[place] === at) continue;
        const [before, after] = [there[place - 1] ?? Number.NEGATIVE_INFINITY, there[place] ?? Number.POSITIVE_INFINITY];
        for (const span of windowLengths) add(span, Math.max(at - span + 1, before + 1), Math.min(at, after - span));
        there.splice(place, 0, at);
      }
    },

    steps: (): Step[] => [...steps.values()].filter(({ by }) => by !== 0),
  };
}
