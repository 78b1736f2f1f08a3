import type { Claimed } from '../../ledger/recipients/claimed-row.ts';
import type { Outcome } from '../../ledger/recipients/recipients-queue.ts';
import type { Delivery } from './smtp-outcome.ts';

/** How deferred emails are retried: after `firstMs`, then after twice as long each time, at most `maxMs`. */
export type Retry = { firstMs: number; maxMs: number; attempts: number };

/** How much of a delay is random. Little, because greylisting accepts an email after a fixed time, and a retry before it is wasted. */
const jitter = 0.1;

/** Maps a delivery to the outcome of its row. `row.attempts` does not include the current attempt yet. */
export function outcomeOf(
  row: Claimed,
  { delivery, retry, serverBackAt, at = new Date() }: { delivery: Delivery; retry: Retry; serverBackAt: Date; at?: Date },
): Outcome {
  const attempts = row.attempts + 1;
  switch (delivery.kind) {
    case 'accepted':
      return { row, state: 'sent', reason: null, detail: delivery.response, at };
    case 'deferred': {
      if (attempts >= retry.attempts) return { row, state: 'failed', reason: 'refused', detail: delivery.response, at };
      const dueAt = new Date(at.getTime() + delayAfter(attempts, retry));
      return { row, state: 'deferred', reason: 'refused_for_now', detail: delivery.response, at, dueAt };
    }
    case 'refused':
      return {
        row,
        state: delivery.hard ? 'bounced' : 'failed',
        reason: delivery.hard ? 'bad_address' : 'refused',
        detail: delivery.response,
        at,
      };
    case 'unreachable':
      return { row, state: 'queued', reason: null, detail: null, at, dueAt: serverBackAt > at ? serverBackAt : at };
    case 'uncertain':
      return { row, state: 'unknown', reason: 'connection_lost', detail: delivery.error, at };
  }
}

const delayAfter = (attempts: number, { firstMs, maxMs }: Retry) =>
  Math.min(maxMs, firstMs * 2 ** (attempts - 1)) * (1 + jitter * Math.random());
