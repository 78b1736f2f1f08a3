import { checkHtml } from './check-html.ts';
import { computingTimer } from './computing-timer.ts';
import { couponScope } from './coupons.ts';
import { type CompiledTemplate, compileTemplate, type FieldRead } from './liquid.ts';
import type { MessageTemplates } from './message.ts';
import { plainText } from './plain-text.ts';
import { defaultLimits, type RenderLimits } from './render-limits.ts';

export type CompiledMessage = {
  subject: CompiledTemplate;
  preview: CompiledTemplate | undefined;
  /** Undefined for a message that has only text. */
  html: CompiledTemplate | undefined;
  text: CompiledTemplate | undefined;
};

/** The values that templates can read. */
export type MessageScope = {
  contact: object;
  campaign: { name: string };
  unsubscribe_url: string;
  /** The data of a transactional message, or of the run that sends the message. */
  data?: object;
  /** What the webhooks of the run captured, by step and name. */
  responses?: object;
  /** The code of the recipient; templates read it as `coupon.<name>`. A placeholder if there is none. */
  couponCode?: string;
};

export type Message = { subject: string; preview_text: string | null; html: string; text: string };

/** Throws TemplateError. Unknown fields are reported by `checkMessage` only. */
export const compileMessage = ({ subject, preview_text, html, text }: MessageTemplates): CompiledMessage => ({
  subject: compileTemplate('/subject', subject, 'text'),
  preview: preview_text === null ? undefined : compileTemplate('/preview_text', preview_text, 'html'),
  html: html === '' ? undefined : compileTemplate('/html', html, 'html'),
  text: text === null ? undefined : compileTemplate('/text', text, 'text'),
});

export type RenderOptions = {
  limits?: RenderLimits | undefined;
  /** Changes the rendered HTML before the plain text is derived from it. */
  rewrite?: (html: string) => string;
  /** HTML to append that does not appear in the plain text. */
  atEnd?: string;
  /** Whether an unsubscribe link is added if the templates have none; true by default. */
  unsubscribe?: boolean;
};

/** The message for one contact. Throws TemplateError. */
export function renderMessage(message: CompiledMessage, { couponCode, ...values }: MessageScope, options: RenderOptions = {}): Message {
  const { limits = defaultLimits, rewrite = (html) => html, atEnd = '', unsubscribe = true } = options;
  const scope = { ...values, coupon: couponScope(readsOf(message), couponCode) };
  const budget = { maxOutput: limits.maxOutput, isSpent: computingTimer(limits.maxRenderMs) };
  const subject = oneLine(message.subject.render(scope, budget));
  const preview = message.preview?.render(scope, budget) ?? null;
  const text = message.text?.render(scope, budget);
  const ownText = text === undefined || !unsubscribe || readsUnsubscribe(message.text) ? text : withUnsubscribeLine(text, scope);
  if (!message.html) return { subject, preview_text: preview, html: '', text: ownText ?? '' };

  const body = rewrite(message.html.render(scope, budget));
  const isComplete = !unsubscribe || readsUnsubscribe(message.html);
  const readable = isComplete ? body : insertAtEnd(body, unsubscribeFooter(scope.unsubscribe_url));
  const previewed = preview === null ? readable : insertAtStart(readable, hidden(preview));
  const html = atEnd === '' ? previewed : insertAtEnd(previewed, atEnd);
  checkHtml(html, limits);
  return { subject, preview_text: preview, html, text: ownText ?? plainText(readable) };
}

const withUnsubscribeLine = (text: string, { unsubscribe_url }: MessageScope) => `${text}\n\nUnsubscribe: ${unsubscribe_url}\n`;

/** The fields that the parts of a message read. */
export const readsOf = ({ subject, html, preview, text }: CompiledMessage): FieldRead[] =>
  [subject, html, preview, text].flatMap((template) => template?.reads ?? []);

const readsUnsubscribe = (template: CompiledTemplate | undefined) =>
  template?.reads.some(({ segments: [root] }) => root === 'unsubscribe_url') === true;

/** Removes control characters, which would break an email header. */
const oneLine = (text: string) =>
  text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 900);

const unsubscribeFooter = (url: string) =>
  `<p style="font-size:12px;color:#666;text-align:center"><a href="${url}" style="color:#666">Unsubscribe</a></p>`;
const hidden = (text: string) => `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${text}</div>`;

function insertAtStart(html: string, part: string): string {
  const body = html.search(/<body\b/i);
  const end = body < 0 ? 0 : html.indexOf('>', body) + 1;
  return html.slice(0, end) + part + html.slice(end);
}

function insertAtEnd(html: string, part: string): string {
  const end = [...html.matchAll(/<\/body>/gi)].at(-1)?.index ?? html.length;
  return html.slice(0, end) + part + html.slice(end);
}
