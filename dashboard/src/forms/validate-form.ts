import { attributePrefix } from './field-types.ts';
import type { AfterDraft, FieldDraft, FormDraft } from './form-draft.ts';
import { isMissing, type Language, languageNames } from './texts.ts';

type Errors = Record<string, string>;

/** What only the browser can say at its field: the API names lists as a whole. */
export function validateForm(draft: FormDraft): Errors {
  const { name, fields, consents, sender, language, after_submission, after_confirmation } = draft;
  const missing = (what: string) => `Enter ${what} in ${languageNames[language]}.`;
  return {
    ...(name.trim() === '' && { name: 'Enter a name.' }),
    ...Object.assign({}, ...fields.map((field, index) => fieldErrors(field, `fields.${index}`, language))),
    ...Object.fromEntries(
      consents.flatMap(({ text }, index) => (isMissing(text, language) ? [[`consents.${index}.text`, missing('the wording')]] : [])),
    ),
    ...(consents.length > 0 && sender.email.trim() === '' && { 'sender.email': 'Enter whom the confirmation emails are from.' }),
    ...(consents.some(({ channel }) => channel === 'sms') &&
      !fields.some(({ field }) => field === 'phone') && { fields: 'Consent to text messages needs the field Phone.' }),
    ...afterErrors('after_submission', after_submission),
    ...afterErrors('after_confirmation', after_confirmation),
  };
}

function fieldErrors({ field, type, label, options }: FieldDraft, at: string, language: Language): Errors {
  const missing = (what: string) => `Enter ${what} in ${languageNames[language]}.`;
  return {
    ...(field.trim() === attributePrefix && { [`${at}.field`]: 'Enter the name of the attribute.' }),
    ...(isMissing(label, language) && { [`${at}.label`]: missing('the label') }),
    ...(type === 'select' &&
      (options.length === 0 || options.some((option) => isMissing(option.label, language))) && {
        [`${at}.options`]: options.length === 0 ? 'Add an option.' : missing('every option'),
      }),
  };
}

const afterErrors = (at: string, { kind, url }: AfterDraft): Errors =>
  kind === 'redirect' && !url.trim().startsWith('https://')
    ? { [`${at}.url`]: 'Enter an address such as https://example.com/thanks.' }
    : {};
