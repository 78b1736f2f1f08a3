import { distance } from 'fastest-levenshtein';

/** The most similar of the known names, ignoring case; undefined if there are none. */
export function nearest(text: string, known: readonly string[]): string | undefined {
  const unlike = (one: string) => distance(text.trim().toLowerCase(), one.toLowerCase());
  return known.toSorted((a, b) => unlike(a) - unlike(b))[0];
}
