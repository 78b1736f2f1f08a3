import { distance } from 'fastest-levenshtein';

/** A longer text is not a misspelled name, and costs a multiple of its length to compare. */
const maxCompared = 200;

/** The most similar of the known names, ignoring case; undefined if there are none, or if the text is too long to be a name. */
export function nearest(text: string, known: readonly string[]): string | undefined {
  if (text.length > maxCompared) return undefined;
  const wanted = text.trim().toLowerCase();
  return known.map((name) => ({ name, unlike: distance(wanted, name.toLowerCase()) })).toSorted((a, b) => a.unlike - b.unlike)[0]?.name;
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
