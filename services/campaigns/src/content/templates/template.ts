import { templateId } from '@mp/contracts/ids';
import { Line, Name } from '@mp/contracts/text';
import { newId } from '@mp/ids';
import { rejectReadOnlyChanges } from '@mp/service-kit/read-only';
import { z } from 'zod';
import { requireOwnHtml } from './compile-content.ts';
import { contentFields } from './content-fields.ts';
import { contentWarnings } from './content-warnings.ts';

/** The content of an email that campaigns and messages can share. */
const content = {
  subject: z.string().nullable().describe('A Liquid template; null if each campaign or message sets its own.'),
  preview_text: z.string().nullable().describe('A Liquid template; mailboxes show it beside the subject.'),
  html: z.string().describe('A Liquid template; compiled from `mjml` if that is set, empty if there is only `text`.'),
  mjml: z.string().nullable().describe('The MJML from which `html` is compiled.'),
  text: z.string().nullable().describe('A Liquid template; generated from the HTML if null.'),
  design: z.record(z.string(), z.unknown()).nullable().describe('The document of an editor.'),
};

export const Template = z
  .object({
    id: templateId.describe('The ID of the template.'),
    name: z.string().describe('The name of the template.'),
    description: z.string().nullable().describe('What the template is for.'),
    ...content,
    version: z.number().int().describe('The version of the content, from 1; each change of the content adds one.'),
    revision: z.number().int().describe('Increases with every change; also the `ETag`.'),
    created_at: z.iso.datetime().describe('When the template was created.'),
    updated_at: z.iso.datetime().describe('When the template was last changed.'),
  })
  .meta({ id: 'Template' });
export type Template = z.infer<typeof Template>;

/** A template that was just saved. */
export const SavedTemplate = Template.extend({ warnings: contentWarnings }).meta({ id: 'SavedTemplate' });

export const TemplateSummary = Template.omit({ html: true, mjml: true, text: true, design: true }).meta({ id: 'TemplateSummary' });
export type TemplateSummary = z.infer<typeof TemplateSummary>;

export const TemplateVersion = z
  .object({
    template_id: templateId.describe('The ID of the template.'),
    version: z.number().int().describe('The version of the content.'),
    ...content,
    created_at: z.iso.datetime().describe('When this version was saved.'),
  })
  .meta({ id: 'TemplateVersion' });
export type TemplateVersion = z.infer<typeof TemplateVersion>;

const writable = {
  name: Name(200).describe('The name of the template, unique in the account.'),
  description: Line(1_000).nullable().describe('What the template is for.'),
  ...contentFields,
  subject: contentFields.subject.nullable().describe('A Liquid template over `contact`; null if each campaign or message sets its own.'),
};

export const CreateTemplateBody = z.strictObject(writable).partial().required({ name: true });
type Body = z.output<typeof CreateTemplateBody>;

const readOnly = Template.pick({ id: true, version: true, revision: true, created_at: true, updated_at: true });
export const UpdateTemplateBody = z
  .strictObject({ ...writable, ...readOnly.shape, warnings: z.unknown().describe('Has no effect, so that the response can be sent back.') })
  .partial();

/** The content; each change of it is a version. */
export const contentOf = ({ subject, preview_text, html, mjml, text, design }: Pick<Template, keyof typeof content>) => ({
  ...{ subject, preview_text, html, mjml, text, design },
});

/** A template before its MJML is compiled. */
export function newTemplate(body: Body, now = new Date()): Template {
  requireOwnHtml(body);
  return {
    id: newId('template'),
    name: body.name,
    description: body.description || null,
    subject: body.subject || null,
    preview_text: body.preview_text || null,
    html: body.html ?? '',
    mjml: body.mjml || null,
    text: body.text || null,
    design: body.design ?? null,
    version: 1,
    revision: 1,
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
  };
}

/** What is rendered for a template, whose subject can be that of the campaign or message. */
export const rendered = ({ subject, preview_text, html, text }: Template) => ({ subject: subject ?? '', preview_text, html, text });

/** The template with the changes of the request, before its MJML is compiled. Throws VALIDATION_ERROR. */
export function mergeTemplate(before: Template, body: z.output<typeof UpdateTemplateBody>): Template {
  rejectReadOnlyChanges(body, before, readOnly.keyof().options);
  requireOwnHtml(body, before);
  const mjml = body.mjml === undefined ? before.mjml : body.mjml || null;
  return {
    ...before,
    name: body.name ?? before.name,
    description: body.description === undefined ? before.description : body.description || null,
    subject: body.subject === undefined ? before.subject : body.subject || null,
    preview_text: body.preview_text === undefined ? before.preview_text : body.preview_text || null,
    html: mjml === null ? (body.html ?? before.html) : before.html,
    mjml,
    text: body.text === undefined ? before.text : body.text || null,
    design: body.design === undefined ? before.design : body.design,
  };
}

/** The template with new revision and version numbers as far as it differs; the same object as `before` if it does not. */
export function revised(before: Template, after: Template, now = new Date()): Template {
  if (JSON.stringify(after) === JSON.stringify(before)) return before;
  const isSameContent = JSON.stringify(contentOf(after)) === JSON.stringify(contentOf(before));
  return {
    ...after,
    version: before.version + (isSameContent ? 0 : 1),
    revision: before.revision + 1,
    updated_at: now.toISOString(),
  };
}
