import { distance } from 'fastest-levenshtein';

/** The most similar of the known names, ignoring case; undefined if there are none. */
export function nearest(text: string, known: readonly string[]): string | undefined {
  const unlike = (one: string) => distance(text.trim().toLowerCase(), one.toLowerCase());
  return known.toSorted((a, b) => unlike(a) - unlike(b))[0];
}

/** How many letters of the known name differ in the text, ignoring case; undefined if they are not similar. */
export function unlikeness(text: string, known: string): number | undefined {
  const most = Math.max(1, known.length * 0.4);
  if (Math.abs(text.length - known.length) > most) return undefined;
  const unlike = distance(text.toLowerCase(), known.toLowerCase());
  return unlike <= most ? unlike : undefined;
}

/** ` Did you mean "first_name"?`, or an empty string if no known name is similar. */
export function didYouMean(text: string, known: readonly string[]): string {
  const found = nearest(text, known);
  return found !== undefined && unlikeness(text, found) !== undefined ? ` Did you mean "${found}"?` : '';
}
