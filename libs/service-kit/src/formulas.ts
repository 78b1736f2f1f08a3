/**
 * Matches text that a spreadsheet would run as a formula, some also in full-width characters or after blanks and invisible
 * characters, which it may drop. Files put an apostrophe before it, even if it already has one.
 */
const formula = /^'*(?:[\t\r\n]|[\s\u00AD\u200B-\u200F\u2060]*[=+\-@＝＋－＠])/;

export const guardFormula = (text: string) => (formula.test(text) ? `'${text}` : text);
export const unguardFormula = (text: string) => (text.startsWith("'") && formula.test(text) ? text.slice(1) : text);
