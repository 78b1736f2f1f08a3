import type { GuardedRequest } from '@mp/guarded-requests/guarded-request';
import type { Clock } from '@mp/service-kit/clock';
import { signedHeaders } from '../definitions/signing-secrets.ts';
import type { Target } from '../definitions/webhooks-store.ts';
import type { Attempt } from './delivery.ts';
import type { Held } from './delivery-document.ts';
import { requestOf } from './request-of.ts';
import { retryAfterOf } from './retry-schedule.ts';

/** `isUp`: the receiver works, even if it rejected this event. */
export type Sent = { attempt: Attempt; ok: boolean; isUp: boolean; isGone: boolean; retryAfterMs: number };

export type SendDelivery = ReturnType<typeof createSendDelivery>;

/** Sends a delivery, or a batch of them, once, signed with the valid secrets of their webhook. */
export const createSendDelivery =
  ({ send, clock }: { send: GuardedRequest; clock: Clock }) =>
  async ({ url, headers, secrets }: Target, held: readonly [Held, ...Held[]], stopping: AbortSignal): Promise<Sent> => {
    const at = clock();
    const began = performance.now();
    const { id, body } = requestOf(held);
    const signed = { ...headers, 'content-type': 'application/json', ...signedHeaders(secrets, id, at, body) };
    const exchange = await send({ url, method: 'POST', headers: signed, body }, stopping);
    const timing = { at: at.toISOString(), duration_ms: Math.round(performance.now() - began) };
    if (exchange.type !== 'response') {
      const error = exchange.type === 'refused' ? `Not sent: ${exchange.problem}.` : `No response: ${exchange.reason}.`;
      const attempt = { ...timing, status_code: null, error, response: null };
      return { attempt, ok: false, isUp: false, isGone: false, retryAfterMs: 0 };
    }
    const { status, said, retryAfter } = exchange;
    const ok = status >= 200 && status < 300;
    return {
      attempt: { ...timing, status_code: status, error: ok ? null : errorOf(status), response: said },
      ok,
      isUp: status < 500 && status !== 429,
      isGone: status === 410,
      retryAfterMs: retryAfterOf(retryAfter, clock()),
    };
  };

function errorOf(status: number): string {
  if (status === 410) return 'Responded with 410: the webhook was disabled.';
  if (status >= 300 && status < 400) return `Responded with ${status}. Redirects are not followed; update the URL of the webhook.`;
  return `Responded with ${status}; expected 2xx.`;
}
