import { createHmac } from 'node:crypto';
import { type Keyring, mac } from '@mp/contracts/keyring';
import type { GuardedRequest } from '@mp/guarded-requests/guarded-request';
import type { AccountId } from '@mp/ids';
import type { Clock } from '@mp/service-kit/clock';
import type { Effect, WebhookOutcome } from '../runs/run.ts';
import type { StoredRun } from '../runs/run-document.ts';
import { BodyTooLarge, fillBody } from './fill-body.ts';

export type SendWebhook = ReturnType<typeof createSendWebhook>;

type Config = { keys: Keyring; clock: Clock; send: GuardedRequest };

const maxBodyBytes = 256 * 1024;

/** Calls the webhooks of steps, signed. */
export const createSendWebhook =
  ({ keys, clock, send }: Config) =>
  async (run: StoredRun, { key, call }: Effect & { type: 'webhook' }, stopping: AbortSignal): Promise<WebhookOutcome> => {
    const body = bodyOf(run, key, call.body);
    if (body === undefined) return refused('Not called: the body is larger than 256 KiB.');
    const bare = call.method === 'GET';
    const headers = {
      ...call.headers,
      'content-type': 'application/json',
      ...signatureHeaders(keys, run.account_id, { id: key, now: clock(), body: bare ? '' : body }),
    };
    const exchange = await send({ url: call.url, method: call.method, headers, body: bare ? null : body }, stopping);
    if (exchange.type === 'response') return outcomeOf(exchange.status, exchange.said);
    if (exchange.type === 'refused') return refused(`Not called: ${exchange.problem}.`);
    return { ok: false, retry: true, status: null, detail: `No response: ${exchange.reason}.` };
  };

/** Undefined when the body would be too large. */
function bodyOf(run: StoredRun, key: string, body: unknown): string | undefined {
  try {
    const filled = JSON.stringify(fillBody(body, run, key, maxBodyBytes));
    return Buffer.byteLength(filled) > maxBodyBytes ? undefined : filled;
  } catch (error) {
    if (error instanceof BodyTooLarge) return undefined;
    throw error;
  }
}

/** Standard Webhooks headers. The id is the same for every attempt, so that receivers can detect duplicates. */
function signatureHeaders(keys: Keyring, accountId: AccountId, { id, now, body }: { id: string; now: Date; body: string }) {
  const timestamp = Math.floor(now.getTime() / 1_000);
  const signatures = [...keys.keys.values()].map(
    (key) => `v1,${createHmac('sha256', accountSecret(key, accountId)).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') };
}

const accountSecret = (key: Buffer, accountId: AccountId) => mac(key, `webhook ${accountId}`);

/** The secret that verifies the webhook signatures of an account, in the format of Standard Webhooks libraries. */
export function webhookSecret(keys: Keyring, accountId: AccountId): string {
  const key = keys.keys.get(keys.signing);
  if (!key) throw new Error('The webhook keyring has no signing key.');
  return `whsec_${accountSecret(key, accountId).toString('base64')}`;
}

function outcomeOf(status: number, said: string): WebhookOutcome {
  const ok = status >= 200 && status < 300;
  const retry = status >= 500 || status === 429 || status === 408;
  const redirect = status >= 300 && status < 400 ? ' Redirects are not followed.' : '';
  return { ok, retry, status, said, detail: `Responded with ${status}.${redirect}${said && ` ${said}`}` };
}

const refused = (detail: string): WebhookOutcome => ({ ok: false, retry: false, status: null, detail });
