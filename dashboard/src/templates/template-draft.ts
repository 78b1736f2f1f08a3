import type { Brand } from '../brand/brand.ts';
import { type ContentDraft, contentBody } from '../email-design/content.ts';
import { newDesign } from '../email-design/design.ts';
import { blank, type Starter } from '../email-design/starters.ts';
import { contentDraftOf, type NewTemplate, type Template } from './templates.ts';

/** The state of the editor, as typed: the request body with text instead of null. */
export type TemplateDraft = ContentDraft & { name: string; description: string };

/** A new template from a starter, or an empty one. */
export const newDraft = (brand: Brand, starter: Starter | undefined): TemplateDraft => ({
  ...{ name: starter?.name ?? '', description: '', subject: starter?.subject ?? '', preview_text: '', html: '', text: '', mjml: null },
  design: newDesign(brand, starter?.content ?? blank),
});

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
