import { z } from 'zod';

/** The languages of the pages that people outside the account see, and of the emails that the platform words itself. */
export const PageLanguage = z.enum(['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'sv', 'ja']);
export type PageLanguage = z.infer<typeof PageLanguage>;

const isPageLanguage = (text: string): text is PageLanguage => PageLanguage.options.some((one) => one === text);

/** The first language that has a page: of the contact's locale, else of the browser, else English. */
export function pageLanguage(locale: string | null | undefined, acceptLanguage = ''): PageLanguage {
  const preferred = [locale ?? '', ...acceptLanguage.split(',').slice(0, 10)].map((tag) => tag.trim().slice(0, 2).toLowerCase());
  return preferred.find(isPageLanguage) ?? 'en';
}
