import { escaped } from '../email-design/liquid-text.ts';
import type { FieldType } from './field-types.ts';
import type { Form } from './forms.ts';
import { type Texts, textIn } from './texts.ts';

type Embedded = Pick<Form, 'title' | 'language' | 'fields' | 'consents' | 'submit_label'>;
type Field = Form['fields'][number];

const inputTypes: Partial<Record<FieldType, string>> = { email: 'email', phone: 'tel', number: 'number', date: 'date' };
const usualHeight = 260;
const fieldHeight = 84;

/** How a tag shows the form in a page. */
export const displays = { inline: 'In the page', popup: 'Pop-up', bar: 'Bar' } as const;
export type Display = keyof typeof displays;

/** When a tag shows a pop-up or bar. */
export const occasions = { delay: 'After 5 seconds', scroll: 'Halfway down the page', exit: 'When the pointer leaves the page' } as const;
export type Occasion = keyof typeof occasions;
const attributes: Readonly<Record<Occasion, string>> = { delay: 'data-delay="5"', scroll: 'data-scroll="50"', exit: 'data-exit' };

/** The tag that shows the form in a page. Without JavaScript, a form in the page is a frame, and the others are not shown. */
export function tagOf(
  form: Embedded & Pick<Form, 'id'>,
  url: string,
  { display, occasion }: { display: Display; occasion: Occasion },
): string {
  const script = new URL('embed.js', url).href;
  const tag = (more: string) => `<script async src="${script}" data-form="${form.id}"${more}></script>`;
  if (display !== 'inline') return tag(` data-display="${display}" ${attributes[occasion]}`);
  const { title, language, fields, consents } = form;
  const height = usualHeight + fieldHeight * (fields.length + consents.length);
  const name = title === null ? 'Form' : textIn(title, language, language);
  const frame = `<iframe src="${url}?embed=1" title="${escaped(name)}" style="width: 100%; height: ${height}px; border: 0"></iframe>`;
  return `${tag('')}\n<noscript>${frame}</noscript>`;
}

/** A submission by the code of a single-page application. It solves the proof of work when the form asks for one. */
export function fetchOf({ fields, consents }: Embedded, url: string): string {
  const values = Object.fromEntries(fields.map(({ field, type }) => [field, type === 'checkbox' ? true : type === 'number' ? 1 : '…']));
  const body = {
    fields: values,
    consents: consents.filter(({ display }) => display === 'checkbox').map(({ key }) => key),
  };
  return `const submission = {
  ...${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')},
  page: location.href,
  submission_id: crypto.randomUUID(),
};
const send = async () => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch('${url}/submissions', { method: 'POST', headers, body: JSON.stringify(submission) });
  return response.json();
};
let { data, error } = await send();
// While many people submit the form, or always if you chose so, the browser must compute for about a second.
if (error?.details?.some(({ code }) => code === 'captcha_required')) {
  const { solve } = await import(/* webpackIgnore: true */ '${new URL('proof.js', url).href}');
  submission.captcha = await solve('${url}');
  ({ data, error } = await send());
}
// data: message and redirect_url; error: details with a path such as /fields/email`;
}

/** The form as HTML for a page with its own markup. It works without JavaScript. */
export function htmlOf({ language, fields, consents, submit_label }: Embedded, url: string): string {
  const say = (texts: Texts) => escaped(textIn(texts, language, language));
  return [
    `<form method="post" action="${url}">`,
    ...fields.map((field) => `  ${fieldHtml(field, say)}`),
    ...consents.map(({ key, text, display, required }) =>
      display === 'notice'
        ? `  <p>${say(text)}</p>`
        : `  <label><input type="checkbox" name="consent" value="${escaped(key)}"${required ? ' required' : ''}> ${say(text)}</label>`,
    ),
    '  <p style="position: absolute; left: -100vw" aria-hidden="true"><input name="website" tabindex="-1" autocomplete="off"></p>',
    `  <button type="submit">${submit_label === null ? 'Submit' : say(submit_label)}</button>`,
    '</form>',
  ].join('\n');
}

function fieldHtml({ field, type, label, required, options }: Field, say: (texts: Texts) => string): string {
  const attributes = `name="${escaped(field)}"${required ? ' required' : ''}`;
  if (type === 'checkbox') return `<label><input type="checkbox" ${attributes}> ${say(label)}</label>`;
  if (type === 'textarea') return `<label>${say(label)} <textarea ${attributes}></textarea></label>`;
  if (type === 'select') {
    const items = options.map((option) => `<option value="${escaped(option.value)}">${say(option.label)}</option>`);
    return `<label>${say(label)} <select ${attributes}><option value=""></option>${items.join('')}</select></label>`;
  }
  const complete = type === 'email' ? ' autocomplete="email"' : '';
  return `<label>${say(label)} <input type="${inputTypes[type] ?? 'text'}" ${attributes}${complete}></label>`;
}
