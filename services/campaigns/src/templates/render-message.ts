import { convert } from 'html-to-text';
import { type CompiledTemplate, compileTemplate } from './liquid.ts';
import type { MessageContent } from './message-content.ts';
import { compilePart } from './template-fields.ts';
import { trackedLinks, withTrackedLinks } from './tracked-links.ts';

export type CompiledMessage = {
  content: MessageContent;
  subject: CompiledTemplate;
  preview: CompiledTemplate | undefined;
  html: CompiledTemplate;
  text: CompiledTemplate | undefined;
  /** The HTML as mailed: its links lead through us. */
  mailed: CompiledTemplate;
  /** The addresses of those links, in order. */
  tracked: readonly string[];
  namesUnsubscribe: boolean;
};

/** Throws VALIDATION_ERROR naming the part that is invalid Liquid or reads a field that does not exist. */
export function compileMessage(content: MessageContent): CompiledMessage {
  const html = compilePart('/html', content.html, 'html');
  return {
    content,
    subject: compilePart('/subject', content.subject, 'text'),
    preview: content.preview_text === null ? undefined : compilePart('/preview_text', content.preview_text, 'html'),
    html,
    text: content.text === null ? undefined : compilePart('/text', content.text, 'text'),
    mailed: content.track.clicks ? compileTemplate(withTrackedLinks(content.html), 'html') : html,
    tracked: content.track.clicks ? trackedLinks(content.html) : [],
    namesUnsubscribe: html.fields.some(([root]) => root === 'unsubscribe_url'),
  };
}

export type Rendered = { subject: string; preview_text: string | null; html: string; text: string };

/** What is only in the mail: links through us, and the image that sees opens. */
export type Mailed = { tracked: readonly string[]; pixelUrl: string | undefined };

/** The message for one person. Throws TemplateError. */
export function renderMessage(message: CompiledMessage, scope: { unsubscribe_url: string }, mailed?: Mailed): Rendered {
  const preview = message.preview?.render(scope) ?? null;
  const body = mailed ? message.mailed.render({ ...scope, tracked: mailed.tracked }) : message.html.render(scope);
  const readable = message.namesUnsubscribe ? body : insertAtEnd(body, unsubscribeFooter(scope.unsubscribe_url));
  const previewed = preview === null ? readable : insertAtStart(readable, hidden(preview));
  return {
    subject: oneLine(message.subject.render(scope)),
    preview_text: preview,
    html: mailed?.pixelUrl ? insertAtEnd(previewed, pixel(mailed.pixelUrl)) : previewed,
    text: message.text ? withUnsubscribe(message, scope) : plainText(readable),
  };
}

/** Control characters have no place in a header. */
const oneLine = (text: string) =>
  text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 900);

function withUnsubscribe({ text }: CompiledMessage, scope: { unsubscribe_url: string }): string {
  const body = text?.render(scope) ?? '';
  return text?.fields.some(([root]) => root === 'unsubscribe_url') ? body : `${body}\n\nUnsubscribe: ${scope.unsubscribe_url}\n`;
}

const plainText = (html: string) =>
  convert(html, {
    wordwrap: 78,
    limits: { maxInputLength: 1_200_000, maxDepth: 100 },
    selectors: [
      { selector: 'img', format: 'skip' },
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
    ],
  });

const unsubscribeFooter = (url: string) =>
  `<p style="font-size:12px;color:#666;text-align:center"><a href="${url}" style="color:#666">Unsubscribe</a></p>`;
const hidden = (text: string) => `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${text}</div>`;
const pixel = (url: string) => `<img src="${url}" width="1" height="1" alt="" style="display:block">`;

function insertAtStart(html: string, part: string): string {
  const body = html.search(/<body\b/i);
  const end = body < 0 ? 0 : html.indexOf('>', body) + 1;
  return html.slice(0, end) + part + html.slice(end);
}

function insertAtEnd(html: string, part: string): string {
  const end = html.toLowerCase().lastIndexOf('</body>');
  return end < 0 ? html + part : html.slice(0, end) + part + html.slice(end);
}
