import { distance } from 'fastest-levenshtein';

/** The most similar of the known names, ignoring case; undefined if there are none. */
export function nearest(text: string, known: readonly string[]): string | undefined {
  const unlike = (one: string) => distance(text.trim().toLowerCase(), one.toLowerCase());
  return known.toSorted((a, b) => unlike(a) - unlike(b))[0];
}

/** ` Did you mean "first_name"?`, or an empty string if no known name is similar. */
export function didYouMean(text: string, known: readonly string[]): string {
  const found = nearest(text, known);
  const isSimilar = found !== undefined && distance(text.toLowerCase(), found.toLowerCase()) <= Math.max(1, found.length * 0.4);
  return isSimilar ? ` Did you mean "${found}"?` : '';
}
