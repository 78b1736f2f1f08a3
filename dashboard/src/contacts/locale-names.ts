const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });
const languages = new Intl.DisplayNames('en', { type: 'language', fallback: 'code' });

/** The name of a country of two letters; anything else stays as it is. */
export const countryName = (country: string): string => (/^[A-Z]{2}$/.test(country) ? (countries.of(country) ?? country) : country);

/** The name of a language such as `en-GB`; one that is none stays as it is. */
export function languageName(locale: string): string {
  try {
    return languages.of(locale) ?? locale;
  } catch {
    return locale;
  }
}
