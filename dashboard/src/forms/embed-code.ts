import { escaped } from '../email-design/liquid-text.ts';
import type { FieldType } from './field-types.ts';
import type { Form } from './forms.ts';
import { type Texts, textIn } from './texts.ts';

type Embedded = Pick<Form, 'title' | 'language' | 'fields' | 'consents' | 'submit_label'>;
type Field = Form['fields'][number];

/** The address of the hosted page. */
export const pageOf = ({ id }: Pick<Form, 'id'>) => `${window.location.origin}/f/${id}`;

const inputTypes: Partial<Record<FieldType, string>> = { email: 'email', phone: 'tel', number: 'number', date: 'date' };
const usualHeight = 260;
const fieldHeight = 84;

/** HTML that shows the hosted page inside another. */
export function frameOf({ title, language, fields, consents }: Embedded, url: string): string {
  const height = usualHeight + fieldHeight * (fields.length + consents.length);
  const name = title === null ? 'Form' : textIn(title, language, language);
  return `<iframe src="${url}" title="${escaped(name)}" style="width: 100%; height: ${height}px; border: 0"></iframe>`;
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
