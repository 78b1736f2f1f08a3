import type { FastifyReply } from 'fastify';
import { linkHeaders } from './link-pages.ts';
import type { Texts } from './preference-texts.ts';

export type TopicChoice = { id: string; name: string; subscribed: boolean };

/** What has just been done on the page. */
export type Notice = 'saved' | 'resubscribed';

/** What the page shows: the choices, after what has just been done, or that the contact has unsubscribed and can subscribe again. */
export type PreferencePage = { kind: 'choices'; topics: readonly TopicChoice[]; notice?: Notice | undefined } | { kind: 'unsubscribed' };

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');

const style =
  ':root{color-scheme:light dark;--text:#1f2933;--page:#fff;--line:#7b8794;--saved:#e3f8e5}' +
  '@media(prefers-color-scheme:dark){:root{--text:#e4e7eb;--page:#14181d;--line:#7b8794;--saved:#123d1a}}' +
  'body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:10vh auto;padding:0 1rem;color:var(--text);background:var(--page)}' +
  'button{font:inherit;padding:.6rem 1.2rem;border:1px solid var(--text);border-radius:.4rem;background:var(--text);color:var(--page);cursor:pointer}' +
  '.quiet{background:var(--page);color:var(--text)}fieldset{border:1px solid var(--line);border-radius:.4rem;margin:0 0 1rem;padding:1rem}' +
  'label{display:block;padding:.3rem 0}form+form{margin-top:2rem;padding-top:1rem;border-top:1px solid var(--line)}' +
  '[role=status]{padding:.6rem 1rem;background:var(--saved);border-radius:.4rem}';

const choiceOf = ({ id, name, subscribed }: TopicChoice) =>
  `<label><input type="checkbox" name="topic" value="${escaped(id)}"${subscribed ? ' checked' : ''}> ${escaped(name)}</label>`;

/** A form with one button. */
const buttonForm = (action: string, { button, hint, isQuiet = false }: { button: string; hint: string; isQuiet?: boolean }) =>
  `<form method="post"><input type="hidden" name="action" value="${action}"><p>${hint}</p><button type="submit"${isQuiet ? ' class="quiet"' : ''}>${button}</button></form>`;

/** The forms of the page; without topics, only the one that unsubscribes. They work without JavaScript. */
function formsOf(topics: readonly TopicChoice[], texts: Texts): string {
  if (topics.length === 0) return buttonForm('unsubscribe', { button: texts.unsubscribe, hint: texts.unsubscribeHint });
  const choices = `<fieldset><legend>${texts.topics}</legend>${topics.map(choiceOf).join('')}</fieldset>`;
  return (
    `<p>${texts.intro}</p><form method="post"><input type="hidden" name="action" value="save">${choices}<button type="submit">${texts.save}</button></form>` +
    buttonForm('unsubscribe', { button: texts.all, hint: texts.allHint, isQuiet: true })
  );
}

/** The preference page. It contains nothing from the contact, and loads nothing. */
export function preferencePage(page: PreferencePage, { language, texts }: { language: string; texts: Texts }): string {
  const [title, body] =
    page.kind === 'unsubscribed'
      ? [
          texts.unsubscribed,
          `<p>${texts.unsubscribedHint}</p>${buttonForm('resubscribe', { button: texts.resubscribe, hint: texts.resubscribeHint, isQuiet: true })}`,
        ]
      : [
          page.topics.length > 0 || page.notice ? texts.title : texts.unsubscribe,
          `${page.notice ? `<p role="status">${texts[page.notice]}</p>` : ''}${formsOf(page.topics, texts)}`,
        ];
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>${title}</title>
<style>${style}</style></head>
<body><main><h1>${title}</h1>${body}</main></body>
</html>
`;
}

export const sendPreferencePage = (reply: FastifyReply, html: string) =>
  reply
    .headers({
      ...linkHeaders,
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    })
    .type('text/html; charset=utf-8')
    .send(html);
