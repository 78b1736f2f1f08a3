import { z } from 'zod';

/** Each word is a comparison for every name, and more of them hardly narrow a search. */
const maxWords = 8;

/** The parameter `q` of lists whose items have a name. */
export const nameSearch = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe('List only items with these words in their name: each must begin a word of the name, regardless of case.');

type NameCondition = { name: { $regex: string; $options: 'i' } | { $in: string[] } };

/**
 * The filter for `nameSearch`; matches nothing without a letter or digit. A list with large documents serves it from an index that
 * has the name, so that only matches are read.
 */
export function nameFilter(q: string): { $and: NameCondition[] } {
  const words = [...new Set(q.toLowerCase().match(/[\p{L}\p{N}]+/gu))].slice(0, maxWords);
  if (words.length === 0) return { $and: [{ name: { $in: [] } }] };
  return { $and: words.map((word) => ({ name: { $regex: `(?<![\\p{L}\\p{N}])${word}`, $options: 'i' as const } })) };
}
