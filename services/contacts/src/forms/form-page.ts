import type { PageLanguage } from '@mp/contracts/page-language';
import { inLanguage } from './check-submission.ts';
import type { Form } from './form.ts';
import type { After, FormConsent, FormField, Label } from './form-content.ts';
import { styleOf } from './form-style.ts';
import { escaped } from './html.ts';
import type { GivenConsent } from './opt-ins-store.ts';
import { pageTexts } from './page-texts.ts';

/** The name of the field that stays empty. */
export const honeypot = 'website';

/** What somebody has filled in, to show it again; and the problems by path, as the API names them. */
export type Filled = { values: ReadonlyMap<string, string>; consents: readonly string[]; problems: ReadonlyMap<string, string> };
export const nothingFilled: Filled = { values: new Map(), consents: [], problems: new Map() };

const document = (language: PageLanguage, title: string, body: string, look?: Form['look']) => `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>${title}</title>
<style>${styleOf(look)}</style>${look?.css ? `<style>${look.css}</style>` : ''}</head>
<body><main><h1>${title}</h1>${body}</main></body>
</html>
`;

const paragraphs = (text: string) =>
  text
    .split('\n')
    .map((line) => `<p>${escaped(line)}</p>`)
    .join('');

const inputTypes: Partial<Record<FormField['type'], string>> = { email: 'email', phone: 'tel', number: 'number', date: 'date' };
const autocomplete: Readonly<Record<string, string>> = {
  email: 'email',
  phone: 'tel',
  first_name: 'given-name',
  last_name: 'family-name',
  company: 'organization',
  job_title: 'organization-title',
  'address.line1': 'address-line1',
  'address.line2': 'address-line2',
  'address.city': 'address-level2',
  'address.region': 'address-level1',
  'address.postal_code': 'postal-code',
  'address.country': 'country',
};

type Shown = { form: Form; language: PageLanguage; filled: Filled };

function fieldOf({ field, type, label, required, options }: FormField, { form, language, filled }: Shown): string {
  const texts = pageTexts[language];
  const text = (one: Label) => escaped(inLanguage(one, language, form.language));
  const value = filled.values.get(field) ?? '';
  const problem = filled.problems.get(`/fields/${field}`);
  const name = escaped(field);
  const wrong = problem === undefined ? '' : ` aria-invalid="true" aria-describedby="e-${name}"`;
  const hint = problem === undefined ? '' : `<p id="e-${name}">${escaped(problem)}</p>`;
  const attributes = `id="${name}" name="${name}"${required ? ' required' : ''}${wrong}`;
  const caption = `${text(label)}${required ? ` (${texts.required})` : ''}`;
  if (type === 'checkbox') return `<label><input type="checkbox" ${attributes}${value === '' ? '' : ' checked'}> ${caption}</label>${hint}`;
  const before = `<label for="${name}">${caption}</label>`;
  if (type === 'select') {
    const chosen = (option: string) => (option === value ? ' selected' : '');
    const items = options.map((option) => `<option value="${escaped(option.value)}"${chosen(option.value)}>${text(option.label)}</option>`);
    return `${before}<select ${attributes}><option value="">${texts.choose}</option>${items.join('')}</select>${hint}`;
  }
  if (type === 'textarea') return `${before}<textarea ${attributes} rows="4" maxlength="1000">${escaped(value)}</textarea>${hint}`;
  const complete = autocomplete[field];
  const kind = `type="${inputTypes[type] ?? 'text'}"${type === 'number' ? ' step="any"' : ''}${complete === undefined ? '' : ` autocomplete="${complete}"`}`;
  return `${before}<input ${kind} ${attributes} value="${escaped(value)}">${hint}`;
}

function consentOf({ key, text, display, required }: FormConsent, { form, language, filled }: Shown): string {
  const words = escaped(inLanguage(text, language, form.language));
  if (display === 'notice') return `<p>${words}</p>`;
  const state = `${required ? ' required' : ''}${filled.consents.includes(key) ? ' checked' : ''}`;
  return `<label><input type="checkbox" name="consent" value="${escaped(key)}"${state}> ${words}</label>`;
}

/** The page of a form. `stamp` proves when it was rendered. It works without JavaScript. */
export function formPage(form: Form, { language, stamp, filled }: { language: PageLanguage; stamp: string; filled: Filled }): string {
  const texts = pageTexts[language];
  const shown = { form, language, filled };
  const title = form.title === null ? texts.submit : inLanguage(form.title, language, form.language);
  const intro = form.description === null ? '' : paragraphs(inLanguage(form.description, language, form.language));
  const label = form.submit_label === null ? texts.submit : inLanguage(form.submit_label, language, form.language);
  const logo = form.look.logo_url === null ? '' : `<img src="${escaped(form.look.logo_url)}" alt="" height="48">`;
  const alert = filled.problems.size > 0 ? `<p role="alert">${texts.problems}</p>` : '';
  const fields = form.fields.map((field) => fieldOf(field, shown)).join('');
  const consents = form.consents.map((consent) => consentOf(consent, shown)).join('');
  const trap = `<p class="hp" aria-hidden="true"><label>${texts.leaveEmpty} <input name="${honeypot}" tabindex="-1" autocomplete="off"></label></p>`;
  const hidden = `<input type="hidden" name="_stamp" value="${escaped(stamp)}"><input type="hidden" name="_language" value="${language}">`;
  const body = `${logo}${intro}${alert}<form method="post" action="/f/${form.id}">${hidden}${trap}${fields}${consents}<button type="submit">${escaped(label)}</button></form>`;
  return document(language, escaped(title), body, form.look);
}

/** The page after a submission or a confirmation, if that does not redirect. */
export function afterPage(
  after: After,
  { language, fallback, isConfirmed, look }: { language: PageLanguage; fallback: PageLanguage; isConfirmed: boolean; look?: Form['look'] },
) {
  const texts = pageTexts[language];
  const usual = isConfirmed ? texts.confirmedHint : texts.submitted;
  const text = after.kind === 'message' && after.text !== null ? inLanguage(after.text, language, fallback) : usual;
  return document(language, isConfirmed ? texts.confirmed : texts.thanks, paragraphs(text), look);
}

/** The page of a confirmation link. Only its button confirms, because scanners follow links. */
export function confirmPage(consents: readonly GivenConsent[], language: PageLanguage): string {
  const texts = pageTexts[language];
  const items = consents.map(({ text }) => `<li>${escaped(text)}</li>`).join('');
  const body = `<p>${texts.confirmHint}</p><ul>${items}</ul><form method="post"><button type="submit">${texts.confirm}</button></form>`;
  return document(language, texts.confirmTitle, body);
}

export function noticePage(language: PageLanguage, notice: 'invalidLink' | 'tooMany'): string {
  const texts = pageTexts[language];
  return notice === 'tooMany'
    ? document(language, texts.tooMany, '')
    : document(language, texts.invalidLink, `<p>${texts.invalidLinkHint}</p>`);
}
