import { createHmac } from 'node:crypto';
import type { WebhookEvent } from '@marketing-platform/sdk';
import type { Profile } from './profiles.ts';

/** As long as the platform waits. */
const timeoutMs = 15_000;

const prefix = 'whsec_';

/** The secret of events that are forwarded: derived from the key, so that it is the same each time. */
export const secretOf = ({ key, client_secret }: Profile) =>
  prefix +
  createHmac('sha256', key ?? client_secret ?? '')
    .update('mp webhooks listen')
    .digest('base64');

/** The headers of a webhook (Standard Webhooks). */
function signedHeaders(secret: string, id: string, body: string, now = new Date()): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const signature = createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64')).update(`${id}.${timestamp}.${body}`);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature.digest('base64')}` };
}

/** What a receiver responded. `status` is null without a response. */
export type Forwarded = { id: string; type: string; status: number | null; duration_ms: number; error: string | null };

/** Sends an event to a URL as a webhook would. */
export async function forwardEvent(event: WebhookEvent, url: string, secret: string): Promise<Forwarded> {
  const body = JSON.stringify(event);
  const { id, type } = event;
  const began = performance.now();
  const outcome = (status: number | null, error: string | null): Forwarded => ({
    ...{ id, type, status, error },
    duration_ms: Math.round(performance.now() - began),
  });
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signedHeaders(secret, id, body) },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    return outcome(response.status, response.ok ? null : `Responded with ${response.status}; expected 2xx.`);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return outcome(null, `No response: ${cause instanceof Error ? cause.message || cause.name : String(cause)}`);
  }
}
