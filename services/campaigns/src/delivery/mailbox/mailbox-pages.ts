import { notFound } from '@mp/contracts/errors';
import type { Server } from '@mp/service-kit/create-server';
import type { FastifyReply } from 'fastify';
import PostalMime, { type Email } from 'postal-mime';
import { z } from 'zod';
import type { Caught, Mailbox } from './mailbox.ts';
import { style, styleHash } from './mailbox-style.ts';

const shown = 200;
const Params = z.object({ id: z.string() });

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? '');

const page = (title: string, nav: string, body: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${escaped(title)} · Marketing Platform</title><style>${style}</style></head><body><nav aria-label="Breadcrumb">${nav}</nav><main><h1>${escaped(title)}</h1>${body}</main></body></html>`;

const toCampaigns = '<a href="/campaigns">‹ Campaigns</a>';
const toMailbox = '<a href="/t/mailbox">‹ Local mailbox</a>';
const moment = (at: string) => `<time datetime="${at}">${at.slice(0, 19).replace('T', ' ')} UTC</time>`;

const list = (mails: readonly Caught[]) =>
  page(
    'Local mailbox',
    toCampaigns,
    `<p>Email sent on this development machine; nothing here was delivered. The latest ${shown} emails.</p>${
      mails.length === 0
        ? '<div class="empty">No emails yet. While SMTP_URL is not set, every email the platform sends appears here.</div>'
        : `<ol>${mails.map(line).join('')}</ol>`
    }`,
  );

const line = ({ id, at, to, subject }: Caught) =>
  `<li><a href="/t/mailbox/${id}">${escaped(subject) || '(no subject)'}</a>${moment(at)}<small>${escaped(to)}</small></li>`;

const headerList = (headers: Email['headers']) =>
  `<dl>${headers.map(({ key, value }) => `<dt>${escaped(key)}</dt><dd>${escaped(value)}</dd>`).join('')}</dl>`;

/** The headers that are always shown; the others are collapsed. */
const mainHeaders = ['from', 'to', 'date', 'list-unsubscribe'];

const mailPage = (id: string, mail: Email) =>
  page(
    mail.subject || '(no subject)',
    toMailbox,
    `${headerList(mail.headers.filter(({ key }) => mainHeaders.includes(key)))}<details><summary>All headers</summary>${headerList(mail.headers)}</details><h2>HTML</h2><iframe title="Email" sandbox="allow-popups allow-popups-to-escape-sandbox" src="/t/mailbox/${id}/html"></iframe><h2>Text</h2><pre>${escaped(mail.text ?? '')}</pre>`,
  );

const pagePolicy = `default-src 'none'; style-src ${styleHash}; frame-src 'self'; base-uri 'none'; form-action 'none'`;

/** The email runs no scripts and has an opaque origin; its links open in a new tab. */
const mailPolicy = `sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data: http: https:; form-action 'none'`;

const sendHtml = (reply: FastifyReply, html: string, policy: string) =>
  reply
    .headers({ 'content-security-policy': policy, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    .type('text/html; charset=utf-8')
    .send(html);

/** `GET /t/mailbox`: the emails in the local mailbox. Exists only in development. */
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
