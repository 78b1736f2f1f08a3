import { type ContentDraft, contentBody } from '../email-editor/content.ts';
import { contentDraftOf, type NewTemplate, type Template } from './templates.ts';

/** The state of the editor, as typed: the request body with text instead of null. */
export type TemplateDraft = ContentDraft & { name: string; description: string };

export const draftOf = (template: Template): TemplateDraft => ({
  ...contentDraftOf(template),
  name: template.name,
  description: template.description ?? '',
});

const orNull = (text: string) => (text.trim() === '' ? null : text);

export const templateOf = (draft: TemplateDraft): NewTemplate => ({
  ...contentBody(draft),
  name: draft.name,
  description: orNull(draft.description),
  subject: orNull(draft.subject),
  preview_text: orNull(draft.preview_text),
});
