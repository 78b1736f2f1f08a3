import type { Clock } from '@mp/service-kit/clock';

/** The number of consecutive attempts without a working receiver that opens the circuit. */
const maxFailures = 5;

/** How long a circuit stays open: longer after each failed probe. */
const openMs = { first: 5_000, max: 60_000 };

type Circuit = { failures: number; openUntil: number };

/** A circuit per webhook: while a receiver is down, one delivery at a time probes it, and the others wait without losing attempts. */
export function createBreakers(clock: Clock) {
  const circuits = new Map<string, Circuit>();
  const isOpen = ({ failures }: Circuit) => failures >= maxFailures;

  return {
    /** How many deliveries may be in-flight: 0 while the circuit is open, 1 to probe the receiver. */
    room(id: string, max: number): number {
      const circuit = circuits.get(id);
      if (!circuit || !isOpen(circuit)) return max;
      return circuit.openUntil > clock().getTime() ? 0 : 1;
    },

    failed(id: string) {
      const circuit = circuits.get(id) ?? { failures: 0, openUntil: 0 };
      circuit.failures += 1;
      circuits.set(id, circuit);
      if (!isOpen(circuit)) return;
      const pause = Math.min(openMs.max, openMs.first * 2 ** (circuit.failures - maxFailures));
      circuit.openUntil = clock().getTime() + pause;
    },

    /** Closes the circuit. Returns whether it was open. */
    worked(id: string): boolean {
      const circuit = circuits.get(id);
      circuits.delete(id);
      return circuit !== undefined && isOpen(circuit);
    },
  };
}
