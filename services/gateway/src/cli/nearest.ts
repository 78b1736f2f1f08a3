import { distance } from 'fastest-levenshtein';

/** The one that is least unlike the text, in whatever case; none of none. */
export function nearest(text: string, known: readonly string[]): string | undefined {
  const unlike = (one: string) => distance(text.trim().toLowerCase(), one.toLowerCase());
  return known.toSorted((a, b) => unlike(a) - unlike(b))[0];
}
