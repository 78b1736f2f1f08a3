import type { WebhookHealth } from '../definitions/webhook.ts';
import type { Attempt } from './delivery.ts';

/** The health of a webhook by its last attempts, newest first. */
export function healthOf(attempts: readonly Attempt[], pending: number): WebhookHealth {
  const durations = attempts.map(({ duration_ms }) => duration_ms).sort((a, b) => a - b);
  const successes = attempts.filter(({ error }) => error === null);
  return {
    attempts: attempts.length,
    success_rate: attempts.length === 0 ? null : successes.length / attempts.length,
    p95_ms: durations[Math.ceil(durations.length * 0.95) - 1] ?? null,
    last_success_at: successes[0]?.at ?? null,
    last_failure_at: attempts.find(({ error }) => error !== null)?.at ?? null,
    pending,
  };
}
