import { addressOf } from '@mp/service-kit/client-address';
import type { Server } from '@mp/service-kit/create-server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { failedPages, languageOf, seenIn } from './admit-submission.ts';
import type { Confirmations } from './carry-out-confirmation.ts';
import { afterPage, confirmPage, noticePage } from './form-page.ts';
import { sendPage } from './html.ts';
import type { LimitSubmissions } from './limit-submissions.ts';
import type { OptInDocument } from './opt-ins-store.ts';

type Deps = { confirmations: Confirmations; limits: LimitSubmissions };

const Params = z.object({ token: z.string().max(300) });

function sendAfter(reply: FastifyReply, { after, language }: OptInDocument, { redirects }: { redirects: boolean }) {
  const { after_confirmation: next } = after;
  if (redirects && next.kind === 'redirect') return reply.header('cache-control', 'no-store').redirect(next.url, 303);
  return sendPage(reply, 200, afterPage(next, { language, fallback: after.language ?? language, isConfirmed: true }));
}

const sendInvalid = (request: FastifyRequest, reply: FastifyReply) => sendPage(reply, 404, noticePage(languageOf(request), 'invalidLink'));

/**
 * `/f/confirm/:token`: the link of a confirmation email. GET shows the page and changes nothing, because scanners follow links; its button
 * confirms. Whoever has the link may confirm, so no other proof is needed.
 */
export function confirmationLinkRoutes(app: Server, { confirmations, limits }: Deps) {
  app.get('/f/confirm/:token', { schema: { hide: true, params: Params }, onSend: failedPages }, async (request, reply) => {
    limits.request(addressOf(request));
    const row = await confirmations.find(request.params.token, new Date());
    if (!row) return sendInvalid(request, reply);
    if (row.state === 'confirmed') return sendAfter(reply, row, { redirects: false });
    const targets = row.after.after_confirmation.kind === 'redirect' ? [new URL(row.after.after_confirmation.url).origin] : [];
    return sendPage(reply, 200, confirmPage(row.consents, row.language), { targets });
  });

  void app.register(async (pages) => {
    // The page of the link sends an empty form.
    const options = { parseAs: 'string' as const, bodyLimit: 1_024 };
    pages.addContentTypeParser('application/x-www-form-urlencoded', options, (_request, _body, done) => done(null, {}));
    pages.post('/f/confirm/:token', { schema: { hide: true, params: Params }, onSend: failedPages }, async (request, reply) => {
      limits.request(addressOf(request));
      const { token } = Params.parse(request.params);
      const row = await confirmations.confirm(token, seenIn(request, languageOf(request)));
      return row ? sendAfter(reply, row, { redirects: true }) : sendInvalid(request, reply);
    });
  });
}
