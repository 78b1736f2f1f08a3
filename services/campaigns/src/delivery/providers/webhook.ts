import { ApiError } from '@mp/contracts/errors';
import type { Feedback } from '../feedback/feedback.ts';
import type { ProviderKeys } from './providers-store.ts';

/** A request to a provider's webhook, as it was received. */
export type Webhook = { body: Buffer; headers: Readonly<Record<string, string | string[] | undefined>>; keys: ProviderKeys; now: Date };

/** Verifies a webhook and returns what it reports. Throws FORBIDDEN if it is not from the provider or too old. */
export type ReadWebhook = (webhook: Webhook) => Promise<Feedback[]> | Feedback[];

/** Providers retry for hours with the time and signature of the first attempt. Within this time, repeated reports are known by their ID. */
const maxAgeMs = 24 * 60 * 60 * 1_000;
const maxAheadMs = 5 * 60 * 1_000;

export const refused = (why: string) => new ApiError('FORBIDDEN', `The webhook is rejected: ${why}.`);

/** Throws FORBIDDEN unless `at` is a recent time. */
export function requireRecent(at: Date, now: Date) {
  const age = now.getTime() - at.getTime();
  if (!(age <= maxAgeMs && age >= -maxAheadMs)) throw refused('its signature is too old or from the future');
}

export const header = ({ headers }: Webhook, name: string): string => {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
};

/** The JSON of a verified body; undefined if it is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
