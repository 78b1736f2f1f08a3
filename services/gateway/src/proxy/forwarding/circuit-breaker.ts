export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

const knownForMs = 60_000;

/**
 * Stops sending requests to a failing service, so that callers do not wait for it. Opens for a second after ten consecutive
 * failures. Then one trial request may pass, and its outcome decides.
 */
export function createCircuitBreaker({
  // Monotonic: if the wall clock were set back, a second could last for hours.
  now = () => performance.now(),
  maxFailures = 10,
  pauseMs = 1_000,
}: {
  now?: () => number;
  maxFailures?: number;
  pauseMs?: number;
} = {}) {
  let failures = 0;
  let openUntil = 0;

  return {
    /** Whether a request may be sent now. */
    allows(): boolean {
      if (failures < maxFailures) return true;
      const at = now();
      if (at < openUntil) return false;
      // This is the trial request; the others are rejected until its outcome is known.
      openUntil = at + pauseMs;
      return true;
    },

    /** Whether the circuit is open, including during trial requests. A minute after the last trial it counts as unknown: false. */
    isOpen: () => failures >= maxFailures && now() < openUntil + knownForMs,

    succeeded() {
      failures = 0;
    },

    failed() {
      failures += 1;
      if (failures >= maxFailures) openUntil = now() + pauseMs;
    },
  };
}
