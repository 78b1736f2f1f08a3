import type { Clock } from '../runs/clock.ts';
import type { Call } from './call-budget.ts';

/** So many calls in a row without a response open the circuit. */
const silentCalls = 5;

/** How long nothing is called then, until one call tries whether the host is back. */
const openMs = 30_000;

/** After so long calls no longer wait for the host: each counts as an attempt that failed. */
const patienceMs = 10 * 60_000;

/** An account with more silent hosts than this gains nothing. */
const mostKept = 10_000;

/** `since` is when it opened. */
type Circuit = Call & { silent: number; since: number; openUntil: number };

const keyOf = ({ account_id, host }: Call) => `${account_id} ${host}`;

/**
 * Circuit breakers, one for each account and host: an account whose receiver does not respond stops calling it for a
 * while, and another account's calls to the same host continue. A response of any status closes the circuit.
 */
export function createCircuits(clock: Clock) {
  const circuits = new Map<string, Circuit>();
  const now = () => clock().getTime();
  const isLasting = ({ since }: Circuit) => now() - since >= patienceMs;

  return {
    /** Those to which calls wait for now. */
    waiting: (): Call[] => [...circuits.values()].filter((circuit) => circuit.openUntil > now() && !isLasting(circuit)),

    /**
     * Whether to call now. `wait`: the host is silent. `refuse`: it has been for long. While one call tries whether it is
     * back, the others get the same.
     */
    enter(call: Call): 'call' | 'wait' | 'refuse' {
      const circuit = circuits.get(keyOf(call));
      if (!circuit || circuit.silent < silentCalls) return 'call';
      if (circuit.openUntil > now()) return isLasting(circuit) ? 'refuse' : 'wait';
      circuit.openUntil = now() + openMs;
      return 'call';
    },

    responded: (call: Call) => circuits.delete(keyOf(call)),

    /** Returns whether this call opened the circuit: once for each time that a host falls silent. */
    silent({ account_id, host }: Call): boolean {
      const key = keyOf({ account_id, host });
      const circuit = circuits.get(key) ?? { account_id, host, silent: 0, since: now(), openUntil: 0 };
      circuit.silent += 1;
      if (circuit.silent === silentCalls) circuit.since = now();
      if (circuit.silent >= silentCalls) circuit.openUntil = now() + openMs;
      circuits.set(key, circuit);
      const [oldest] = circuits.keys();
      if (circuits.size > mostKept && oldest !== undefined) circuits.delete(oldest);
      return circuit.silent === silentCalls;
    },
  };
}
