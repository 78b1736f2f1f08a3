/** Everything in a list from one item to another, in either direction. Only the other one if the first is not in the list. */
export function between(list: readonly string[], one: string, other: string): string[] {
  const [from, to] = [list.indexOf(one), list.indexOf(other)].toSorted((a, b) => a - b);
  return from === undefined || to === undefined || from < 0 ? [other] : list.slice(from, to + 1);
}
