/**
 * Letters carry a few combining marks, and Unicode's own stream-safe form allows 30. Normalizing a text takes a time that
 * grows with the square of how many follow each other: a megabyte of them could stop the service for minutes.
 */
export const mostMarks = 100;

/** Shorter texts are normalized in no time, whatever they hold. */
export const mostTextUnchecked = 4_096;

export const tooManyMarks = `A text has at most ${mostMarks} combining marks in a row.`;

/** Whether a text in this JSON value, names of members included, has more combining marks in a row than we take. */
export function holdsManyMarks(value: unknown): boolean {
  if (typeof value === 'string') {
    for (const [run] of value.matchAll(/\p{M}+/gu)) if (run.length > mostMarks) return true;
    return false;
  }
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, member]) => holdsManyMarks(name) || holdsManyMarks(member));
}
