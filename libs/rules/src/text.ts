const ascii = /^[\0-\x7f]*$/;

/** Shares its upper-case letter with `i`, but is a different letter. */
const dotless = 'ı';

const foldLetter = (letter: string): string => (letter === dotless ? letter : letter.toLowerCase().toUpperCase().toLowerCase());

/**
 * Folds text for comparison: NFC and full Unicode case folding, so that `É` as one or two code points, `Σ`, `σ` and `ς`, and `ß` and
 * `SS` are equal. Letter by letter, because `toLowerCase` depends on the position of a letter in its word.
 */
export function fold(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  return Array.from(text.normalize('NFC'), foldLetter).join('').normalize('NFC');
}

/** Folds email addresses: lower-case only, because `ß` and `ss` may be different mailboxes. */
export const foldEmail = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC');
