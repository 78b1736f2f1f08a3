/**
 * A text that a spreadsheet would run as a formula, some of them also in full-width characters. Files put an apostrophe
 * before it, and one more before those that have one.
 */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;

export const guardFormula = (text: string) => (formula.test(text) ? `'${text}` : text);
export const unguardFormula = (text: string) => (text.startsWith("'") && formula.test(text) ? text.slice(1) : text);
