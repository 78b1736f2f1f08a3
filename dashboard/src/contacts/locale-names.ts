function namesOf(type: 'region' | 'language') {
  let names: Intl.DisplayNames | undefined;
  return (code: string): string | undefined => {
    // Loading all names takes longer than rendering a page that may show none.
    names ??= new Intl.DisplayNames('en', { type, fallback: 'code' });
    return names.of(code);
  };
}
const nameOfRegion = namesOf('region');
const nameOfLanguage = namesOf('language');

/** The name of a country of two letters; anything else stays as it is. */
export const countryName = (country: string): string => (/^[A-Z]{2}$/.test(country) ? (nameOfRegion(country) ?? country) : country);

/** The name of a language such as `en-GB`; one that is none stays as it is. */
export function languageName(locale: string): string {
  try {
    return nameOfLanguage(locale) ?? locale;
  } catch {
    return locale;
  }
}
