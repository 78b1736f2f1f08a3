/** Lengths of time in quarters of an hour of which visitors are kept counted, wherever they begin: an hour, and a day of 24, 23 or 25 hours. */
export const spans = [4, 96, 92, 100] as const;
export type Span = (typeof spans)[number];
export const isSpan = (quarters: number): quarters is Span => spans.some((span) => span === quarters);

export const quartersADay = 96;
const longest = Math.max(...spans);

/** The UTC days, by number, on which a visitor may have been seen in the same span as at a quarter of an hour. */
export function daysAround(quarter: number): number[] {
  const [first, last] = [Math.floor((quarter - longest + 1) / quartersADay), Math.floor((quarter + longest - 1) / quartersADay)];
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** By how much the number of visitors changes from one beginning of a span to the next, within a UTC day. */
export type Step = { day: number; span: Span; quarter: number; by: number };

/**
 * Counts visitors in every span of these lengths at once. A visitor seen anew at `at` is new to those spans around it in
 * which it was not seen before, whose beginnings are one stretch: so two numbers change, the step up where the stretch
 * begins and the step down where it ends. The sum of a day's steps up to a quarter is the number of visitors in the span
 * that begins there. It follows from what was seen and not from its order.
 */
export function createSpanCounts() {
  const steps = new Map<string, Step>();

  function step(start: number, span: Span, by: number) {
    const [day, quarter] = [Math.floor(start / quartersADay), start - Math.floor(start / quartersADay) * quartersADay];
    const key = `${day} ${span} ${quarter}`;
    steps.set(key, { day, span, quarter, by: (steps.get(key)?.by ?? 0) + by });
  }

  /** One more visitor in the spans that begin from `first` to `last`. */
  function add(span: Span, first: number, last: number) {
    for (let from = first; from <= last; ) {
      const nextDay = (Math.floor(from / quartersADay) + 1) * quartersADay;
      step(from, span, 1);
      if (last + 1 < nextDay) step(last + 1, span, -1);
      from = nextDay;
    }
  }

  return {
    /** A visitor who is known to have been there in the quarters `known` was there in `seen` too. */
    seen(known: Iterable<number>, seen: Iterable<number>) {
      const there = [...known].sort((a, b) => a - b);
      for (const at of seen) {
        const found = there.findIndex((quarter) => quarter >= at);
        const place = found === -1 ? there.length : found;
        if (there[place] === at) continue;
        const [before, after] = [there[place - 1] ?? Number.NEGATIVE_INFINITY, there[place] ?? Number.POSITIVE_INFINITY];
        for (const span of spans) add(span, Math.max(at - span + 1, before + 1), Math.min(at, after - span));
        there.splice(place, 0, at);
      }
    },

    steps: (): Step[] => [...steps.values()].filter(({ by }) => by !== 0),
  };
}
