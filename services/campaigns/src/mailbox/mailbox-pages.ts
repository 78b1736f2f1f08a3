import { notFound } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import type { FastifyReply } from 'fastify';
import PostalMime, { type Email } from 'postal-mime';
import { z } from 'zod';
import type { Caught, Mailbox } from './mailbox.ts';

const shown = 200;
const Params = z.object({ id: z.string() });

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');

const style =
  'body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1f2933}table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.35rem .6rem;border-bottom:1px solid #e4e7eb;vertical-align:top}iframe{width:100%;height:40rem;border:1px solid #e4e7eb}pre{white-space:pre-wrap;background:#f5f7fa;padding:1rem}';

const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title><style>${style}</style></head><body><h1>${escaped(title)}</h1>${body}</body></html>`;

const list = (mails: readonly Caught[]) =>
  page(
    'Local mailbox',
    `<p>Mail of this development machine: nothing here was delivered. The latest ${shown}.</p><table><tr><th>when</th><th>to</th><th>subject</th></tr>${mails
      .map(
        ({ id, at, to, subject }) =>
          `<tr><td>${at.slice(0, 19).replace('T', ' ')}</td><td>${escaped(to)}</td><td><a href="/t/mailbox/${id}">${escaped(subject) || '(no subject)'}</a></td></tr>`,
      )
      .join('')}</table>`,
  );

const mailPage = (id: string, mail: Email) =>
  page(
    mail.subject || '(no subject)',
    `<p><a href="/t/mailbox">All mail</a></p><table>${mail.headers
      .map(({ key, value }) => `<tr><th>${escaped(key)}</th><td>${escaped(value)}</td></tr>`)
      .join(
        '',
      )}</table><h2>HTML</h2><iframe title="The mail" sandbox="allow-popups allow-popups-to-escape-sandbox" src="/t/mailbox/${id}/html"></iframe><h2>Text</h2><pre>${escaped(mail.text ?? '')}</pre>`,
  );

const pagePolicy = `default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; base-uri 'none'; form-action 'none'`;

/** The mail itself runs nothing and is of no origin; its links open beside the mailbox. */
const mailPolicy = `sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data: http: https:; form-action 'none'`;

const sendHtml = (reply: FastifyReply, html: string, policy: string) =>
  reply
    .headers({ 'content-security-policy': policy, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    .type('text/html; charset=utf-8')
    .send(html);

/** `GET /t/mailbox`: what the local mailbox has caught. Only there in development. */
export function mailboxPages(app: Server, { mailbox }: { mailbox: Mailbox }) {
  const read = async (id: string) => {
    const raw = await mailbox.read(id);
    if (!raw) throw notFound();
    return PostalMime.parse(raw);
  };

  app.get('/t/mailbox', { schema: { hide: true } }, async (_, reply) => sendHtml(reply, list(await mailbox.latest(shown)), pagePolicy));

  app.get('/t/mailbox/:id', { schema: { hide: true, params: Params } }, async (request, reply) =>
    sendHtml(reply, mailPage(request.params.id, await read(request.params.id)), pagePolicy),
  );

  app.get('/t/mailbox/:id/html', { schema: { hide: true, params: Params } }, async (request, reply) => {
    const { html, text } = await read(request.params.id);
    return sendHtml(reply, `<base target="_blank">${html ?? `<pre>${escaped(text ?? '')}</pre>`}`, mailPolicy);
  });
}
