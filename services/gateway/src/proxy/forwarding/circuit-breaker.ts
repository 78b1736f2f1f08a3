export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

const knownForMs = 60_000;

/**
 * Stops sending requests to a failing service, so that callers do not wait for it. Opens for a second after ten consecutive
 * failures. Then one trial request may pass, and its outcome decides.
 *
 * A connection that cannot be opened is the service's failure. One that times out or breaks off can be due to what its caller
 * requested, so a caller can cause a third of the failures at most: such failures open the circuit only when three callers meet them.
 */
export function createCircuitBreaker({
  // Monotonic: if the wall clock were set back, a second could last for hours.
  now = () => performance.now(),
  maxFailures = 10,
  maxOfCaller = Math.ceil(maxFailures / 3),
  pauseMs = 1_000,
}: {
  now?: () => number;
  maxFailures?: number;
  maxOfCaller?: number;
  pauseMs?: number;
} = {}) {
  let failures = 0;
  let openUntil = 0;
  /** Those that each caller met. */
  const ofCallers = new Map<string, number>();

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
      ofCallers.clear();
    },

    /** `caller`: whose request failed after its connection was open. */
    failed(caller?: string) {
      if (caller !== undefined && failures < maxFailures) {
        const own = ofCallers.get(caller) ?? 0;
        if (own >= maxOfCaller) return;
        ofCallers.set(caller, own + 1);
      }
      failures += 1;
      if (failures >= maxFailures) openUntil = now() + pauseMs;
    },
  };
}
