import type { ReactNode } from 'react';
import type { EmailDesign } from './design.ts';
import { designToHtml } from './design-to-html.ts';
import { designToText } from './design-to-text.ts';

/** The content of an email, as typed: text instead of null. With a design, `html` and `text` are made from it when it is saved. */
export type ContentDraft = {
  subject: string;
  preview_text: string;
  html: string;
  text: string;
  mjml: string | null;
  design: EmailDesign | null;
};

/** The part of a form that edits the content. */
export type ContentForm = {
  values: ContentDraft;
  errors: Record<string, ReactNode>;
  setValues: (change: Partial<ContentDraft>) => void;
  getInputProps: (path: 'subject' | 'preview_text' | 'text') => object;
};

/** The HTML and the text that are sent. An empty text is generated from the HTML. */
export const partsOf = ({ html, text, design }: Pick<ContentDraft, 'html' | 'text' | 'design'>) =>
  design ? { html: designToHtml(design), text: designToText(design) } : { html, text: text.trim() === '' ? null : text };

/** The content for the API. HTML that is compiled from MJML is not sent: the MJML is. */
export function contentBody({ html, text, mjml, design }: ContentDraft) {
  const parts = partsOf({ html, text, design });
  return mjml === null || design ? { ...parts, design, mjml: null } : { text: parts.text, mjml };
}
