export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

const knownForMs = 60_000;

/**
 * Spares a service that does not answer, and its callers the wait. After ten failures in a row nothing is sent for a
 * second; then one request may try, and its outcome decides.
 */
export function createCircuitBreaker({
  // Not the time of day, which may be set back: then a second would last for hours.
  now = () => performance.now(),
  failuresMax = 10,
  pauseMs = 1_000,
}: {
  now?: () => number;
  failuresMax?: number;
  pauseMs?: number;
} = {}) {
  let failures = 0;
  let openUntil = 0;

  return {
    /** Whether a request may be sent now. */
    allows(): boolean {
      if (failures < failuresMax) return true;
      const at = now();
      if (at < openUntil) return false;
      // This request tries; the others wait for what becomes of it.
      openUntil = at + pauseMs;
      return true;
    },

    /** Whether it spares the service, but for one request at a time that may try. What nobody asked for lately is not known. */
    isOpen: () => failures >= failuresMax && now() < openUntil + knownForMs,

    succeeded() {
      failures = 0;
    },

    failed() {
      failures += 1;
      if (failures >= failuresMax) openUntil = now() + pauseMs;
    },
  };
}
