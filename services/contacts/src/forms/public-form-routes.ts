import { success } from '@mp/contracts/envelope';
import { ApiError } from '@mp/contracts/errors';
import type { Keyring } from '@mp/contracts/keyring';
import { PageLanguage } from '@mp/contracts/page-language';
import type { Server } from '@mp/service-kit/create-server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isbot } from 'isbot';
import { z } from 'zod';
import { type Admission, failedPages, languageOf, needsProof } from './admit-submission.ts';
import type { Captcha } from './captcha.ts';
import { inLanguage, SubmissionBody } from './check-submission.ts';
import type { Form } from './form.ts';
import type { PublicForm } from './form-cache.ts';
import type { FormCountsStore } from './form-counts-store.ts';
import { afterPage, type Filled, formPage, honeypot, nothingFilled, noticePage } from './form-page.ts';
import { PageUrl, type Place, placeOf } from './form-place.ts';
import { sendPage } from './html.ts';
import { signStamp } from './page-stamp.ts';
import { pageTexts } from './page-texts.ts';

type Deps = { admission: Admission; captcha: Captcha; formCounts: Pick<FormCountsStore, 'add'>; linkKeys: Keyring };

const Params = z.object({ id: z.string().max(100) });
const maxBytes = 65_536;

const Accepted = z.object({
  message: z.string().nullable().describe('What to tell the visitor; null if the form redirects.'),
  redirect_url: z.string().nullable().describe('Where to send the visitor.'),
});

/** A browser may read the response only in pages of the form's origins. Nothing depends on credentials, so none are allowed. */
function allowPage(request: FastifyRequest, reply: FastifyReply) {
  if (request.headers.origin !== undefined) reply.header('access-control-allow-origin', request.headers.origin);
}

const placeIn = ({ query, headers }: FastifyRequest, form: Form): Place => placeOf(form, query, headers);

/** One image of a host, so that the CSS of a form can load no other. `;` and `,` would end it in the policy. */
const sourceOf = ({ origin, pathname }: URL) => origin + pathname.replaceAll(';', '%3B').replaceAll(',', '%2C');

type Sent = { language: PageLanguage; linkKeys: Keyring; filled: Filled; place: Place; status?: number };

/** The page of a form, what somebody filled in, and the problems with that. */
function sendForm(reply: FastifyReply, form: Form, { language, linkKeys, filled, place, status = 200 }: Sent) {
  const { after_submission: after, look, allowed_origins: frames } = form;
  const now = new Date();
  const solvesProof = needsProof(form, now);
  const html = formPage(form, { language, stamp: signStamp(linkKeys, form.id, now), filled, place, solvesProof });
  const images = look.logo_url === null ? [] : [sourceOf(new URL(look.logo_url))];
  const targets = after.kind === 'redirect' ? [new URL(after.url).origin] : [];
  return sendPage(reply, status, html, { frames, images, targets, hasScript: place.parent !== null, solvesProof });
}

/** What a form without JavaScript sends, as a page would with it. Markup of another website has no place; its browser names the page. */
function bodyOf(
  form: URLSearchParams,
  fields: readonly { field: string }[],
  { place, referer }: { place: Place; referer: string | undefined },
) {
  const get = (name: string) => form.get(name) ?? undefined;
  const isOwnMarkup = place.embed === undefined && get('_stamp') === undefined;
  const page = [place.page, get('_page'), isOwnMarkup ? referer : undefined].map((one) => PageUrl.safeParse(one).data).find(Boolean);
  return {
    fields: Object.fromEntries(fields.flatMap(({ field }) => (form.has(field) ? [[field, form.get(field)]] : []))),
    consents: form.getAll('consent').slice(0, 20),
    language: PageLanguage.safeParse(get('_language')).data,
    page,
    source: isOwnMarkup ? undefined : (place.source ?? undefined),
    visitor_id: place.visitor ?? undefined,
    ...{ stamp: get('_stamp'), website: get(honeypot), captcha: get('altcha') },
  };
}

function filledIn(form: URLSearchParams, problems: Filled['problems']): Filled {
  return { values: new Map([...form].map(([name, value]) => [name, value.slice(0, 2_000)])), consents: form.getAll('consent'), problems };
}

/** The problems in the words of the page, and those of a required consent beside the others. */
function problemsIn(error: ApiError, language: PageLanguage): ReadonlyMap<string, string> {
  const { missing, disposable, problem, needsScript, sendAgain } = pageTexts[language];
  const ofProof = { captcha_required: needsScript, captcha_invalid: sendAgain, captcha_used: sendAgain };
  const texts: Record<string, string> = { required: missing, disposable_address: disposable, ...ofProof };
  const named = (error.details ?? []).map(({ path = '', code }) => [path, texts[code ?? ''] ?? problem] as const);
  return new Map(named.length > 0 ? named : [['', problem]]);
}

/** The hosted page of a form, and its submissions: of the page, and of pages of others with `fetch`. */
export function publicFormRoutes(app: Server, { admission, captcha, formCounts, linkKeys }: Deps) {
  const hidden = { hide: true, params: Params };
  const admitted = new WeakMap<object, PublicForm>();

  app.get('/f/:id', { schema: hidden, onSend: failedPages }, async (request, reply) => {
    const { accountId, form } = await admission.find(request, Params.parse(request.params).id);
    const place = placeIn(request, form);
    const isView = request.method === 'GET' && !isbot(request.headers['user-agent'] ?? '');
    if (isView) await formCounts.add(accountId, { formId: form.id, at: new Date(), where: place, counts: { views: 1 } });
    const query = z.object({ email: z.string().max(254).catch(''), lang: PageLanguage.optional().catch(undefined) }).parse(request.query);
    const filled = { ...nothingFilled, values: new Map([['email', query.email]]) };
    return sendForm(reply, form, { language: languageOf(request, query.lang), linkKeys, filled, place });
  });

  app.options('/f/:id/submissions', { schema: hidden }, async (_request, reply) =>
    reply
      .code(204)
      .headers({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'content-type',
        'access-control-max-age': '86400',
      })
      .send(),
  );

  app.get('/f/:id/challenge', { schema: hidden }, async (request, reply) => {
    const { form } = await admission.find(request, Params.parse(request.params).id);
    admission.admitOrigin(form, request);
    allowPage(request, reply);
    // As ALTCHA's clients expect it, without an envelope.
    return reply.headers({ vary: 'origin', 'cache-control': 'no-store' }).send(await captcha.challenge(form.id, new Date()));
  });

  app.post(
    '/f/:id/submissions',
    {
      bodyLimit: maxBytes,
      schema: { ...hidden, body: SubmissionBody, response: { 200: success(Accepted) } },
      // Before the body is read, so that a page can also read why it is rejected.
      onRequest: async (request, reply) => {
        reply.headers({ vary: 'origin', 'cache-control': 'no-store' });
        const found = await admission.find(request, Params.parse(request.params).id);
        admission.admitOrigin(found.form, request);
        allowPage(request, reply);
        await admission.limit(request, found);
        admitted.set(request.raw, found);
      },
    },
    async (request) => {
      const found = admitted.get(request.raw);
      if (!found) throw new Error('A submission has no form.');
      const { language } = await admission.admit(request, found, request.body, { hasScript: true });
      const { after_submission: after, language: fallback } = found.form;
      const text =
        after.kind === 'message' && after.text !== null ? inLanguage(after.text, language, fallback) : pageTexts[language].submitted;
      const data = after.kind === 'redirect' ? { message: null, redirect_url: after.url } : { message: text, redirect_url: null };
      return { success: true as const, data };
    },
  );

  // Only this route accepts form bodies.
  void app.register(async (pages) => {
    const options = { parseAs: 'string' as const, bodyLimit: maxBytes };
    pages.addContentTypeParser('application/x-www-form-urlencoded', options, (_request, body, done) =>
      done(null, new URLSearchParams(String(body))),
    );
    pages.post('/f/:id', { bodyLimit: maxBytes, schema: hidden, onSend: failedPages }, async (request, reply) => {
      const found = await admission.find(request, Params.parse(request.params).id);
      const { form } = found;
      const place = placeIn(request, form);
      const framing = { frames: form.allowed_origins, hasScript: place.parent !== null };
      const sent = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
      const language = languageOf(request, PageLanguage.safeParse(sent.get('_language')).data);
      try {
        admission.admitOrigin(form, request);
        await admission.limit(request, found);
        const body = SubmissionBody.safeParse(bodyOf(sent, form.fields, { place, referer: request.headers.referer }));
        if (!body.data) throw new ApiError('VALIDATION_ERROR', 'The submission is invalid.');
        const { again } = await admission.admit(request, found, body.data, { hasScript: false });
        const filled = { ...filledIn(sent, new Map()), isAgain: true };
        if (again !== undefined) return sendForm(reply, form, { language, linkKeys, filled, place, status: again });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.code === 'RATE_LIMITED')
          return sendPage(reply.header('retry-after', error.retryAfter ?? 1), 429, noticePage(language, 'tooMany', place), framing);
        if (error.code !== 'VALIDATION_ERROR') throw error;
        return sendForm(reply, form, { language, linkKeys, filled: filledIn(sent, problemsIn(error, language)), place, status: 400 });
      }
      const { after_submission: after } = form;
      if (after.kind === 'redirect' && place.embed === undefined) return reply.header('cache-control', 'no-store').redirect(after.url, 303);
      const html = afterPage(after, { language, fallback: form.language, isConfirmed: false, look: form.look, place });
      return sendPage(reply, 200, html, framing);
    });
  });
}
