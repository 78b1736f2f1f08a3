import type { PageLanguage } from '@mp/contracts/page-language';
import { inLanguage } from './check-submission.ts';
import type { Form } from './form.ts';
import type { After, FormConsent, FormField, Label } from './form-content.ts';
import { ownPage, type Place, queryOf } from './form-place.ts';
import { framedStyle, styleOf } from './form-style.ts';
import { escaped } from './html.ts';
import type { GivenConsent } from './opt-ins-store.ts';
import { type PageTexts, pageTexts } from './page-texts.ts';

/** The name of the field that stays empty. */
export const honeypot = 'website';

/** What somebody has filled in, to show it again; and the problems by path, as the API names them. */
export type Filled = {
  values: ReadonlyMap<string, string>;
  consents: readonly string[];
  problems: ReadonlyMap<string, string>;
  /** Whether it must be sent again from this page. */
  isAgain?: boolean;
};
export const nothingFilled: Filled = { values: new Map(), consents: [], problems: new Map() };

/** How a page is shown. `heading`: the title unless given; `submitted`: what the script of a frame tells about a submission. */
type Showing = {
  look?: Form['look'];
  heading?: string;
  place?: Place;
  submitted?: { redirect: string | null };
};

/** The script tells the page around the frame, of an origin that the form allows, and no other. */
function scriptOf(language: PageLanguage, { parent }: Place, submitted: Showing['submitted']): string {
  if (parent === null) return '';
  const redirect = submitted?.redirect ? ` data-redirect="${escaped(submitted.redirect)}"` : '';
  const status = submitted ? ` data-status="submitted"${redirect}` : '';
  return `<script src="/f/frame.js" data-parent="${escaped(parent)}" data-close="${pageTexts[language].close}"${status}></script>`;
}

const document = (language: PageLanguage, title: string, body: string, showing: Showing = {}) => {
  const { look, heading = `<h1>${title}</h1>`, place = ownPage, submitted } = showing;
  const isFramed = place.embed !== undefined;
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>${title}</title>
<style>${styleOf(look)}${isFramed ? framedStyle : ''}</style>${look?.css ? `<style>${look.css}</style>` : ''}</head>
<body${place.embed === 'bar' ? ' class="bar"' : ''}><main>${heading}${body}</main>${scriptOf(language, place, submitted)}</body>
</html>
`;
};

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

type FormPage = { language: PageLanguage; stamp: string; filled: Filled; place: Place; solvesProof?: boolean };

/** The page of a form. `stamp` proves when it was rendered. It works without JavaScript; `solvesProof` adds the script for a proof of work. */
export function formPage(form: Form, { language, stamp, filled, place, solvesProof = false }: FormPage): string {
  const texts = pageTexts[language];
  const shown = { form, language, filled };
  const intro = form.description === null ? '' : paragraphs(inLanguage(form.description, language, form.language));
  const label = form.submit_label === null ? texts.submit : inLanguage(form.submit_label, language, form.language);
  const title = form.title === null ? label : inLanguage(form.title, language, form.language);
  const logo = form.look.logo_url === null ? '' : `<img src="${escaped(form.look.logo_url)}" alt="" height="48">`;
  const alert = alertOf(filled, texts);
  const fields = form.fields.map((field) => `<div>${fieldOf(field, shown)}</div>`).join('');
  const consents = form.consents.map((consent) => `<div>${consentOf(consent, shown)}</div>`).join('');
  const trap = `<p class="hp" aria-hidden="true"><label>${texts.leaveEmpty} <input name="${honeypot}" tabindex="-1" autocomplete="off"></label></p>`;
  const hidden = `<input type="hidden" name="_stamp" value="${escaped(stamp)}"><input type="hidden" name="_language" value="${language}">`;
  const action = escaped(`/f/${form.id}${queryOf(place)}`);
  const working = solvesProof ? ` data-working="${texts.working}" aria-live="polite"` : '';
  const proof = solvesProof ? '<script type="module" src="/f/proof.js"></script>' : '';
  const button = `<button type="submit"${working}>${escaped(label)}</button>`;
  const body = `${logo}${intro}${alert}<form method="post" action="${action}">${hidden}${trap}${fields}${consents}${button}</form>${proof}`;
  return document(language, escaped(title), body, { look: form.look, place, ...(form.title === null && { heading: '' }) });
}

function alertOf({ problems, isAgain }: Filled, texts: PageTexts): string {
  if (isAgain === true) return `<p role="alert">${texts.sendAgain}</p>`;
  return problems.size > 0 ? `<p role="alert">${problems.get('/captcha') ?? texts.problems}</p>` : '';
}

type AfterPage = { language: PageLanguage; fallback: PageLanguage; isConfirmed: boolean; look?: Form['look']; place?: Place };

/** The page after a submission or a confirmation, if that does not redirect; in a frame, one that sends the page around it on. */
export function afterPage(after: After, { language, fallback, isConfirmed, look, place }: AfterPage) {
  const texts = pageTexts[language];
  const usual = isConfirmed ? texts.confirmedHint : texts.submitted;
  const text = after.kind === 'message' && after.text !== null ? inLanguage(after.text, language, fallback) : usual;
  const redirect = after.kind === 'redirect' && place?.embed !== undefined ? after.url : null;
  const link = redirect === null ? '' : `<p><a href="${escaped(redirect)}" target="_top">${texts.goOn}</a></p>`;
  const showing = { ...(look && { look }), ...(place && { place }), submitted: { redirect } };
  return document(language, isConfirmed ? texts.confirmed : texts.thanks, paragraphs(text) + link, showing);
}

/** The page of a confirmation link. Only its button confirms, because scanners follow links. */
export function confirmPage(consents: readonly GivenConsent[], language: PageLanguage): string {
  const texts = pageTexts[language];
  const items = consents.map(({ text }) => `<li>${escaped(text)}</li>`).join('');
  const body = `<p>${texts.confirmHint}</p><ul>${items}</ul><form method="post"><button type="submit">${texts.confirm}</button></form>`;
  return document(language, texts.confirmTitle, body);
}

export function noticePage(language: PageLanguage, notice: 'invalidLink' | 'tooMany' | 'unavailable', place: Place = ownPage): string {
  const texts = pageTexts[language];
  return notice === 'invalidLink'
    ? document(language, texts.invalidLink, `<p>${texts.invalidLinkHint}</p>`)
    : document(language, texts[notice], '', { place });
}
