const ascii = /^[\0-\x7f]*$/;

/** Has an upper-case letter in common with `i`, but is another letter. */
const dotless = 'ı';

const foldLetter = (letter: string): string => (letter === dotless ? letter : letter.toLowerCase().toUpperCase().toLowerCase());

/**
 * How text is compared: in NFC and by full Unicode case folding, so `É` in one code point or two, `Σ`, `σ` and `ς`, `ß` and
 * `SS` are each the same. Letter by letter, because lower case alone depends on where in a word a letter stands.
 */
export function fold(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  return Array.from(text.normalize('NFC'), foldLetter).join('').normalize('NFC');
}

/** How e-mail addresses are compared: another letter may be another mailbox. */
export const foldEmail = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC');
