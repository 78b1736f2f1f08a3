import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { Keyring } from '@mp/contracts/keyring';
import type { WebhookId } from '@mp/ids';
import { seal, unseal } from '@mp/service-kit/seal';

const prefix = 'whsec_';

/** A new secret, in the form of Standard Webhooks. */
export const newSecret = () => prefix + randomBytes(32).toString('base64');

export type Sealing = ReturnType<typeof createSealing>;

/** Encrypts the secrets of a webhook, bound to its ID. */
export const createSealing = (keys: Keyring) => ({
  seal: (webhookId: WebhookId, text: string) => seal(keys, 'webhook', text, webhookId),

  open(webhookId: WebhookId, sealed: string): string {
    const text = unseal(keys, 'webhook', sealed, webhookId);
    if (text === undefined) throw new Error(`The secrets of ${webhookId} are encrypted with a key that is not in WEBHOOK_KEYS.`);
    return text;
  },
});

/** A key costs several times the signature, and every request to a webhook has the same. */
const keysOf = new WeakMap<readonly string[], KeyObject[]>();

function signingKeys(secrets: readonly string[]): KeyObject[] {
  const known = keysOf.get(secrets);
  if (known) return known;
  const keys = secrets.map((secret) => createSecretKey(secret.slice(prefix.length), 'base64'));
  keysOf.set(secrets, keys);
  return keys;
}

/** The headers of Standard Webhooks, with a signature for each secret. */
export function signedHeaders(secrets: readonly string[], id: string, now: Date, body: string) {
  const timestamp = Math.floor(now.getTime() / 1_000);
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = signingKeys(secrets).map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') };
}
