import { LRUCache } from 'lru-cache';

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

type Options = {
  /** Milliseconds. By default monotonic: if the wall clock were set back, a second could last for hours. */
  now?: () => number;
  /** The number of consecutive failures that opens the circuit. */
  maxFailures: number;
  /** How long an open circuit allows nothing before a trial. Doubles with each further failure, up to `maxPauseMs`. */
  pauseMs: number;
  maxPauseMs?: number;
};

const knownForMs = 60_000;

/**
 * Stops requests to a receiver that fails, so that nobody waits for it. After the pause one trial request may pass, and its outcome
 * decides.
 *
 * A connection that cannot be opened is the receiver's failure. One that times out or is aborted can be due to what its caller
 * requested, so a caller can cause a third of the failures at most: such failures open the circuit only when three callers meet them.
 */
export function createCircuitBreaker({ now = () => performance.now(), maxFailures, pauseMs, maxPauseMs = pauseMs }: Options) {
  const maxOfCaller = Math.ceil(maxFailures / 3);
  let failures = 0;
  let openedAt = 0;
  let openUntil = 0;
  /** Those that each caller met. */
  const ofCallers = new Map<string, number>();
  const pause = () => Math.min(maxPauseMs, pauseMs * 2 ** (failures - maxFailures));

  function state(): 'closed' | 'open' | 'half_open' {
    if (failures < maxFailures) return 'closed';
    return now() < openUntil ? 'open' : 'half_open';
  }

  return {
    /** `half_open`: a trial request may be sent. */
    state,

    /** Whether a request may be sent now. In a half-open circuit it is the trial: the others are rejected until its outcome is known. */
    allows(): boolean {
      const current = state();
      if (current === 'half_open') openUntil = now() + pause();
      return current !== 'open';
    },

    /** Whether the circuit is open, including during trial requests. A minute after the last trial it counts as unknown: false. */
    isOpen: () => failures >= maxFailures && now() < openUntil + knownForMs,

    /** Since when the circuit has been open, trials included; undefined if it is closed. */
    openForMs: () => (failures < maxFailures ? undefined : now() - openedAt),

    succeeded() {
      failures = 0;
      ofCallers.clear();
    },

    /** Returns whether this opened the circuit. `caller`: whose request failed after its connection was open. */
    failed(caller?: string): boolean {
      if (caller !== undefined && failures < maxFailures) {
        const own = ofCallers.get(caller) ?? 0;
        if (own >= maxOfCaller) return false;
        ofCallers.set(caller, own + 1);
      }
      failures += 1;
      if (failures < maxFailures) return false;
      openUntil = now() + pause();
      if (failures > maxFailures) return false;
      openedAt = now();
      return true;
    },
  };
}

/** A circuit breaker for each receiver that fails. Beyond `max` receivers, those that were used least recently count as working. */
export function createCircuitBreakers<Receiver>(keyOf: (receiver: Receiver) => string, { max, ...options }: Options & { max: number }) {
  const failing = new LRUCache<string, { receiver: Receiver; breaker: CircuitBreaker }>({ max });
  return {
    /** Undefined if the latest request to the receiver succeeded, or none is known. */
    find: (receiver: Receiver) => failing.get(keyOf(receiver))?.breaker,

    receivers: (filter: (breaker: CircuitBreaker) => boolean): Receiver[] =>
      [...failing.values()].filter(({ breaker }) => filter(breaker)).map(({ receiver }) => receiver),

    /** Returns whether this opened the circuit. */
    failed(receiver: Receiver): boolean {
      const key = keyOf(receiver);
      const known = failing.get(key) ?? { receiver, breaker: createCircuitBreaker(options) };
      failing.set(key, known);
      return known.breaker.failed();
    },

    /** Closes the circuit. Returns whether it was open. */
    succeeded(receiver: Receiver): boolean {
      const key = keyOf(receiver);
      const known = failing.get(key);
      failing.delete(key);
      return known !== undefined && known.breaker.state() !== 'closed';
    },
  };
}
