import { type CircuitBreaker, createCircuitBreakers } from '@mp/service-kit/circuit-breaker';
import type { Clock } from '@mp/service-kit/clock';
import type { Call } from '../receivers/call-budget.ts';

/** How long calls wait for the host. After that each one counts as a failed attempt. */
const patienceMs = 10 * 60_000;

const isLasting = (breaker: CircuitBreaker) => (breaker.openForMs() ?? 0) >= patienceMs;

/**
 * Circuit breakers per account and host: an account whose receiver does not respond pauses its calls to it, while other
 * accounts continue to call the same host. A response of any status closes the circuit.
 */
export function createCircuits(clock: Clock) {
  const breakers = createCircuitBreakers(({ account_id, host }: Call) => `${account_id} ${host}`, {
    now: () => clock().getTime(),
    maxFailures: 5,
    pauseMs: 30_000,
    max: 10_000,
  });

  return {
    /** The accounts and hosts whose calls wait. */
    waiting: () => breakers.receivers((breaker) => breaker.state() === 'open' && !isLasting(breaker)),

    /**
     * Whether to call now. `wait`: the host does not respond. `refuse`: it has not responded for ten minutes. While one call
     * probes the host, the others get the same result as before.
     */
    enter(call: Call): 'call' | 'wait' | 'refuse' {
      const breaker = breakers.find(call);
      if (!breaker || breaker.allows()) return 'call';
      return isLasting(breaker) ? 'refuse' : 'wait';
    },

    responded: breakers.succeeded,

    /** Records a call without a response. Returns whether it opened the circuit, so that this is reported once. */
    silent: breakers.failed,
  };
}
