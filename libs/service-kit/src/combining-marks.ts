/**
 * Real text has a few combining marks in a row; Unicode's stream-safe format allows 30. The time to normalize a text grows with
 * the square of the run length: a megabyte of marks could block the service for minutes.
 */
export const maxMarks = 100;

/** Shorter texts are normalized quickly whatever they contain. */
export const maxUncheckedLength = 4_096;

export const tooManyMarks = `A text can have at most ${maxMarks} combining marks in a row.`;

/** Whether a text in this JSON value, including property names, has too many combining marks in a row. */
export function holdsManyMarks(value: unknown): boolean {
  if (typeof value === 'string') {
    for (const [run] of value.matchAll(/\p{M}+/gu)) if (run.length > maxMarks) return true;
    return false;
  }
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => holdsManyMarks(name) || holdsManyMarks(member));
}
