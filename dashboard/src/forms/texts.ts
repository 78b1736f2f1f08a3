import type { Form } from './forms.ts';

export type Language = Form['language'];

/** A text by language, as typed. */
export type Texts = Partial<Record<Language, string>>;

export const languageNames: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'German',
  fr: 'French',
  es: 'Spanish',
  it: 'Italian',
  pt: 'Portuguese',
  nl: 'Dutch',
  pl: 'Polish',
  sv: 'Swedish',
  ja: 'Japanese',
};

const isBlank = (text: string | undefined) => text === undefined || text.trim() === '';

/** The text that a visitor with this language sees, as the hosted page chooses it. */
export const textIn = (texts: Texts, language: Language, fallback: Language): string =>
  [texts[language], texts[fallback], ...Object.values(texts)].find((text) => !isBlank(text)) ?? '';

/** Whether the visitors whose own language has no text see one that was meant for them. */
export const isMissing = (texts: Texts, language: Language) => isBlank(texts[language]);

/** The texts that were filled in. */
export const filledIn = (texts: Texts): Texts => Object.fromEntries(Object.entries(texts).filter(([, text]) => !isBlank(text)));

/** The texts that were filled in; null if there are none. */
export function textsOrNull(texts: Texts): Texts | null {
  const filled = filledIn(texts);
  return Object.keys(filled).length > 0 ? filled : null;
}
