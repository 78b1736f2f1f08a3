import { isDeepStrictEqual } from 'node:util';
import { invalid } from '@mp/contracts/errors';
import { formId } from '@mp/contracts/ids';
import { Name } from '@mp/contracts/text';
import { newId } from '@mp/ids';
import { rejectReadOnlyChanges } from '@mp/service-kit/read-only';
import { z } from 'zod';
import { content, defaults, nested, settings } from './form-content.ts';

export const FormStatus = z.enum(['active', 'archived']);

export const Form = z.object({
  id: formId.describe('The ID of the form, which is also in the address of its page: `/f/<id>`.'),
  name: z.string().describe('The name of the form, unique in the account. Visitors never see it.'),
  status: FormStatus.describe('Whether the form accepts submissions: `archived` forms do not.'),
  ...content,
  ...settings,
  version: z.number().int().describe('The version of what visitors see and what a submission does, from 1.'),
  revision: z.number().int().describe('Increases with every change; also the `ETag`.'),
  flooded_at: z.iso
    .datetime()
    .nullable()
    .describe('When the form last had so many submissions that it stopped sending confirmation emails; null if never.'),
  created_at: z.iso.datetime().describe('When the form was created.'),
  updated_at: z.iso.datetime().describe('When the form was last changed.'),
});
/** A form as it is stored. */
export type Form = z.output<typeof Form>;

/** A form as the API returns it. */
export const FormResource = Form.extend({
  url: z.string().describe('The address of its page, to link to or to embed.'),
}).meta({ id: 'Form' });

export type FormOf = ReturnType<typeof createFormResource>;

/** `baseUrl`: where the installation serves forms. */
export const createFormResource =
  (baseUrl: string) =>
  (form: Form): z.output<typeof FormResource> => ({ ...form, url: `${baseUrl}/f/${form.id}` });

export const FormSummary = FormResource.pick({
  ...{ id: true, name: true, status: true, language: true, version: true, revision: true },
  ...{ url: true, flooded_at: true, created_at: true, updated_at: true },
})
  .extend({
    confirms_email: z
      .boolean()
      .describe('Whether it is active and has consent to email confirmed by double opt-in, as `request_confirmation` of bulk jobs needs.'),
  })
  .meta({ id: 'FormSummary' });
export type FormSummary = z.output<typeof FormSummary>;

/** Why a form cannot ask contacts to confirm their consent to email, with what would be right; undefined if it can. */
export function whyNotConfirming({ status, consents, double_opt_in }: Form): string | undefined {
  if (status === 'archived') return 'The form is archived; restore it, or choose an active form.';
  if (!double_opt_in.enabled) return 'The form has no double opt-in; set double_opt_in.enabled to true, or choose a form that has it.';
  if (consents.some(({ channel }) => channel === 'email')) return undefined;
  return 'The form asks for no consent to email; add one to its consents, or choose a form that does.';
}

export const FormVersion = z
  .object({
    form_id: formId.describe('The ID of the form.'),
    version: z.number().int().describe('The version.'),
    ...content,
    created_at: z.iso.datetime().describe('When this version was saved.'),
  })
  .meta({ id: 'FormVersion' });
export type FormVersion = z.output<typeof FormVersion>;

export const formName = Name(200).describe('The name of the form, unique in the account.');

const writable = {
  name: formName,
  ...content,
  ...settings,
  look: z.strictObject(nested.look).partial().describe('The look of the hosted page; omitted colors stay as they are.'),
  limits: z.strictObject(nested.limits).partial().describe('What protects the form against floods.'),
  double_opt_in: z.strictObject(nested.double_opt_in).partial().describe('How consent is confirmed.'),
};

export const CreateFormBody = z.strictObject(writable).partial().required({ name: true, fields: true });

const readOnly = Form.pick({ id: true, status: true, version: true, revision: true, created_at: true, updated_at: true });
/** The time of the last flood changes on its own, and the address with the installation; both are ignored. */
const ignored = FormResource.pick({ flooded_at: true, url: true });
export const UpdateFormBody = z.strictObject({ ...writable, ...readOnly.shape, ...ignored.shape }).partial();

/** What is a version of the form: evidence names it. */
export const contentOf = (form: Form) => pick(form, Object.keys(content));

const pick = <T extends object>(from: T, names: readonly string[]): Partial<T> => {
  const wanted = Object.entries(from).filter(([name]) => names.includes(name));
  return Object.fromEntries(wanted) as Partial<T>;
};

const writableNames = [...Object.keys(content), ...Object.keys(settings)];

/** Throws VALIDATION_ERROR for what only the whole form shows. */
function requireWhole(form: Form): Form {
  if (form.consents.length > 0 && form.sender === null)
    throw invalid('/sender', 'required', 'A form that asks for consent needs a sender for its confirmation emails.');
  if (form.consents.some(({ channel }) => channel === 'sms') && !form.fields.some(({ field }) => field === 'phone'))
    throw invalid('/fields', 'required', 'A form that asks for consent to sms needs the field phone.');
  return form;
}

export function newForm(body: z.output<typeof CreateFormBody>, now = new Date()): Form {
  const at = now.toISOString();
  return requireWhole(
    Form.parse({
      ...defaults,
      ...body,
      double_opt_in: { ...defaults.double_opt_in, ...body.double_opt_in },
      look: { ...defaults.look, ...body.look },
      limits: { ...defaults.limits, ...body.limits },
      ...{ id: newId('form'), status: 'active', version: 1, revision: 1, flooded_at: null, created_at: at, updated_at: at },
    }),
  );
}

/** The form with the changes of the request, and with new revision and version numbers as far as it differs. Throws VALIDATION_ERROR. */
export function changeForm(before: Form, body: z.output<typeof UpdateFormBody>, now = new Date()): Form {
  rejectReadOnlyChanges(body, before, readOnly.keyof().options);
  const { double_opt_in, look, limits } = body;
  const named = Object.fromEntries(Object.entries(body).filter(([name, value]) => value !== undefined && writableNames.includes(name)));
  const after = Form.parse({
    ...before,
    ...named,
    name: body.name ?? before.name,
    double_opt_in: { ...before.double_opt_in, ...double_opt_in },
    look: { ...before.look, ...look },
    limits: { ...before.limits, ...limits },
  });
  return revised(before, requireWhole(after), now);
}

/** The form with new revision and version numbers as far as it differs; the same object as `before` if it does not. */
export function revised(before: Form, after: Form, now = new Date()): Form {
  if (isDeepStrictEqual(after, before)) return before;
  const isSameContent = isDeepStrictEqual(contentOf(after), contentOf(before));
  return {
    ...after,
    version: before.version + (isSameContent ? 0 : 1),
    revision: before.revision + 1,
    updated_at: now.toISOString(),
  };
}
