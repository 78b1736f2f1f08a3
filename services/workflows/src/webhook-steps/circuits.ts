import type { Clock } from '@mp/service-kit/clock';
import type { Call } from '../receivers/call-budget.ts';

/** The number of consecutive calls without a response that opens the circuit. */
const silentCalls = 5;

/** How long an open circuit allows no call; then one call probes the host. */
const openMs = 30_000;

/** How long calls wait for the host. After that each one counts as a failed attempt. */
const patienceMs = 10 * 60_000;

/** Bounds memory; beyond it the oldest circuit is dropped. */
const maxKept = 10_000;

/** `since`: when the circuit opened. `silent`: consecutive calls without a response. Times in milliseconds. */
type Circuit = Call & { silent: number; since: number; openUntil: number };

const keyOf = ({ account_id, host }: Call) => `${account_id} ${host}`;

/**
 * Circuit breakers per account and host: an account whose receiver does not respond pauses its calls to it, while other
 * accounts continue to call the same host. A response of any status closes the circuit.
 */
export function createCircuits(clock: Clock) {
  const circuits = new Map<string, Circuit>();
  const now = () => clock().getTime();
  const isLasting = ({ since }: Circuit) => now() - since >= patienceMs;

  return {
    /** The accounts and hosts whose calls wait. */
    waiting: (): Call[] => [...circuits.values()].filter((circuit) => circuit.openUntil > now() && !isLasting(circuit)),

    /**
     * Whether to call now. `wait`: the host does not respond. `refuse`: it has not responded for ten minutes. While one call
     * probes the host, the others get the same result as before.
     */
    enter(call: Call): 'call' | 'wait' | 'refuse' {
      const circuit = circuits.get(keyOf(call));
      if (!circuit || circuit.silent < silentCalls) return 'call';
      if (circuit.openUntil > now()) return isLasting(circuit) ? 'refuse' : 'wait';
      circuit.openUntil = now() + openMs;
      return 'call';
    },

    responded: (call: Call) => circuits.delete(keyOf(call)),

    /** Records a call without a response. Returns whether it opened the circuit, so that this is reported once. */
    silent({ account_id, host }: Call): boolean {
      const key = keyOf({ account_id, host });
      const circuit = circuits.get(key) ?? { account_id, host, silent: 0, since: now(), openUntil: 0 };
      circuit.silent += 1;
      if (circuit.silent === silentCalls) circuit.since = now();
      if (circuit.silent >= silentCalls) circuit.openUntil = now() + openMs;
      circuits.set(key, circuit);
      const [oldest] = circuits.keys();
      if (circuits.size > maxKept && oldest !== undefined) circuits.delete(oldest);
      return circuit.silent === silentCalls;
    },
  };
}
