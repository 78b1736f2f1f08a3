import { suppressionHash } from '@mp/contracts/contact';
import { ApiError, notFound } from '@mp/contracts/errors';
import type { Keyring } from '@mp/contracts/keyring';
import { allowsOrigin } from '@mp/contracts/origin';
import { type PageLanguage, pageLanguage } from '@mp/contracts/page-language';
import { isId } from '@mp/ids';
import { addressOf } from '@mp/service-kit/client-address';
import type { Suspended } from '@mp/service-kit/suspensions';
import type { FastifyRequest } from 'fastify';
import type { Captcha } from './captcha.ts';
import type { CarryOutSubmission, SubmissionOrigin } from './carry-out-submission.ts';
import { checkSubmission, type SubmissionBody } from './check-submission.ts';
import type { Form } from './form.ts';
import type { PublicForm } from './form-cache.ts';
import { noticePage } from './form-page.ts';
import type { FormsStore } from './forms-store.ts';
import { errorsAsPages } from './html.ts';
import { type LimitSubmissions, tooMany } from './limit-submissions.ts';
import type { NoteFlood } from './note-flood.ts';
import { readStamp } from './page-stamp.ts';

type Deps = {
  forms: Pick<FormsStore, 'getPublic'>;
  limits: LimitSubmissions;
  captcha: Captcha;
  carryOutSubmission: CarryOutSubmission;
  noteFlood: NoteFlood;
  suspended: Suspended;
  linkKeys: Keyring;
};

export type Admission = ReturnType<typeof createAdmission>;

/** `again`: nothing was stored, for the reason of this status; the visitor must send the form again from its own page, which has a stamp. */
type Received = { language: PageLanguage; again?: 403 | 429 };

/** A person needs longer to read a form. */
const minFillMs = 1_000;
/** After a flood, the form counts as under attack for this time. */
const attackMs = 60 * 60_000;

export const needsProof = ({ captcha, flooded_at }: Form, now: Date) =>
  captcha === 'always' || (captcha === 'auto' && flooded_at !== null && now.getTime() - Date.parse(flooded_at) < attackMs);

export const languageOf = (request: FastifyRequest, given?: PageLanguage): PageLanguage =>
  pageLanguage(given, request.headers['accept-language']);

type Where = { page?: string | undefined; source?: string | undefined; visitor_id?: string | undefined };

export const seenIn = (request: FastifyRequest, language: PageLanguage, { page, source, visitor_id }: Where = {}): SubmissionOrigin => ({
  requestId: request.id,
  ip: addressOf(request),
  userAgent: (request.headers['user-agent'] ?? '').slice(0, 500),
  page: page ?? null,
  source: source ?? null,
  visitor: visitor_id ?? null,
  language,
  at: new Date(),
});

/** What a visitor reads where a page cannot be shown. */
export const failedPages = errorsAsPages((request, status) => noticePage(languageOf(request), status === 429 ? 'tooMany' : 'unavailable'));

/** Whether the request comes from a page of this host, or from no page. */
function isOwn({ headers }: FastifyRequest): boolean {
  const { origin, host } = headers;
  if (origin === undefined || headers['sec-fetch-site'] === 'same-origin') return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}

/** Finds the form that a public request names, and accepts its submission. */
export function createAdmission({ forms, limits, captcha, carryOutSubmission, noteFlood, suspended, linkKeys }: Deps) {
  /** Throws RATE_LIMITED; and NOT_FOUND, including for a form of a suspended account. */
  async function find(request: FastifyRequest, id: string): Promise<PublicForm> {
    limits.request(addressOf(request));
    if (!isId('form', id)) throw notFound();
    const found = await forms.getPublic(id);
    if (suspended.has(found.accountId)) throw notFound();
    return found;
  }

  /** Throws FORBIDDEN for a page that may not submit the form. */
  function admitOrigin({ allowed_origins }: Form, request: FastifyRequest) {
    const { origin } = request.headers;
    if (isOwn(request) || (origin !== undefined && allowsOrigin(allowed_origins, origin))) return;
    throw new ApiError('FORBIDDEN', 'The origin of this page is not one of the allowed origins of the form; add it to the form.');
  }

  /** Throws RATE_LIMITED, and lets the account know, if the form as a whole has had too many submissions. */
  async function requireRoom(found: PublicForm, wait: number, seen: Pick<SubmissionOrigin, 'requestId' | 'at'>) {
    if (wait === 0) return;
    await noteFlood(found, seen);
    throw tooMany(wait);
  }

  return {
    find,
    admitOrigin,

    /** Before a submission is read, so that one of a flood costs little. Throws RATE_LIMITED. */
    async limit(request: FastifyRequest, found: PublicForm) {
      limits.submission(found.form, addressOf(request));
      await requireRoom(found, limits.waitOf(found.form), { requestId: request.id, at: new Date() });
    },

    /**
     * Accepts a submission that `admitOrigin` and `limit` let pass. The result is the same whether or not a contact has the address.
     * Throws VALIDATION_ERROR and RATE_LIMITED. `hasScript`: whether the page has JavaScript, and can solve a proof of work; another must
     * have a stamp.
     */
    async admit(
      request: FastifyRequest,
      found: PublicForm,
      body: SubmissionBody,
      { hasScript }: { hasScript: boolean },
    ): Promise<Received> {
      const { accountId, form } = found;
      const language = languageOf(request, body.language);
      const seen = seenIn(request, language, body);
      // A robot learns nothing from the response.
      if (body.website !== undefined && body.website !== '') return { language };
      const stamp = body.stamp === undefined ? undefined : readStamp(linkKeys, form.id, body.stamp, seen.at);
      if (stamp && seen.at.getTime() - stamp.at.getTime() < minFillMs) {
        if (!hasScript) return { language, again: 429 };
        throw new ApiError('RATE_LIMITED', 'The form was submitted sooner than a person can fill it in; try again.', { retryAfter: 2 });
      }
      const checked = checkSubmission(form, body, language);
      const address = suppressionHash(accountId, 'email', checked.body.email);
      // The page may be sent again with a corrected address.
      const key = body.submission_id ?? (stamp && `${stamp.nonce} ${address}`);
      const hasProof = body.captcha !== undefined;
      const lacksProof = !hasProof && needsProof(form, seen.at);
      if (lacksProof && !hasScript && !stamp) return { language, again: 403 };
      if (hasProof || (lacksProof && (hasScript || !limits.mayLackProof(form))))
        await captcha.require(body.captcha, { accountId, formId: form.id, key });
      limits.address(accountId, address);
      await requireRoom(found, limits.accept(form), seen);
      // Decided once, and only for a submission that needs a confirmation.
      let flooded: boolean | undefined;
      const isFlooded = () => {
        flooded ??= limits.isFlooded(form);
        return flooded;
      };
      await carryOutSubmission(found, { ...checked, key, isFlooded, seen });
      return { language };
    },
  };
}
