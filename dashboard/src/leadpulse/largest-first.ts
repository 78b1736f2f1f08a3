/** One value of a dimension. `size` is the number that is shown; null for visitors whose events are no longer stored. */
export type BreakdownItem = { value: string; size: number | null; error: number };

/** Sorted by the number that is shown. The API sorts the values of every metric by their sessions or events. */
export const largestFirst = (items: readonly BreakdownItem[]): BreakdownItem[] =>
  items.toSorted((one, other) => (other.size ?? -1) - (one.size ?? -1));
