import { WebhookVerificationError } from './errors.ts';
import type { WebhookEvent } from './webhook-event.ts';

export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
export type VerifyOptions = {
  /** How many seconds the timestamp may differ from this machine's clock. Default: 300. */
  toleranceSeconds?: number;
};

const defaultToleranceSeconds = 5 * 60;
const encoder = new TextEncoder();

function headerOf(headers: WebhookHeaders, name: string): string {
  const entry = headers instanceof Headers ? headers.get(name) : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const value = typeof entry === 'string' ? entry : entry?.[0];
  if (!value) throw new WebhookVerificationError(`The header ${name} is missing. Pass the headers as they arrived.`);
  return value;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function keyBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''));
  if (bytes === undefined || bytes.length === 0)
    throw new WebhookVerificationError('Pass the secret of the webhook, which starts with whsec_.');
  return bytes;
}

/**
 * Verifies a webhook by the Standard Webhooks specification and returns its event. `body` is the raw body: a parsed and
 * serialised one has another signature. Pass several secrets while you rotate them.
 */
export async function verifyWebhook<Event = WebhookEvent>(
  body: string | Uint8Array<ArrayBuffer> | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = defaultToleranceSeconds }: VerifyOptions = {},
): Promise<Event> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature')
    .split(' ')
    .flatMap((signature) => (signature.startsWith('v1,') ? [bytesOf(signature.slice(3))] : []));
  if (!/^\d+$/.test(timestamp)) throw new WebhookVerificationError('The header webhook-timestamp is not a number of seconds.');
  const differsBy = Math.abs(Date.now() / 1_000 - Number(timestamp));
  if (differsBy > toleranceSeconds)
    throw new WebhookVerificationError(
      `The timestamp differs by ${Math.round(differsBy)} s from this clock; ${toleranceSeconds} s are allowed.`,
    );

  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = encoder.encode(`${id}.${timestamp}.${text}`);
  for (const one of typeof secret === 'string' ? [secret] : secret) {
    const key = await crypto.subtle.importKey('raw', keyBytes(one), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const signature of signatures) {
      // Compares in constant time.
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return JSON.parse(text) as Event;
    }
  }
  throw new WebhookVerificationError('The signature does not match. Check the secret, and that the body is passed as it arrived.');
}
