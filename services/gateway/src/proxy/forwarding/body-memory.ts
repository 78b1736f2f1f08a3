import { ApiError } from '@mp/contracts/errors';

/** The body of one request in memory. `giveUp` is set while it arrives, and is called if others need the memory. */
export type HeldBody = { caller: Caller; bytes: number; giveUp: ((error: ApiError) => void) | undefined };

type Caller = { name: string; bytes: number; arriving: Set<HeldBody>; arrivingBytes: number };

export type BodyMemory = ReturnType<typeof createBodyMemory>;

/** The maximum of idle callers to remember, because mostly the same few callers return. */
const maxIdleCallers = 1_000;

const full = () => new ApiError('SERVICE_UNAVAILABLE', 'The gateway is receiving too many request bodies; try again.', { retryAfter: 2 });
const tooManyOfCaller = () =>
  new ApiError('RATE_LIMITED', 'Too many of your request bodies are in progress; send fewer at a time.', { retryAfter: 1 });

/**
 * Limits the bytes of all request bodies in memory, and those per caller. When memory is full, the oldest arriving body of
 * the caller whose unfinished bodies hold the most is aborted. So slow clients cannot block those that send fast.
 */
export function createBodyMemory(maxBytes = 96 * 2 ** 20, maxCallerBytes = maxBytes / 3) {
  const callers = new Map<string, Caller>();
  let total = 0;

  function callerOf(name: string): Caller {
    const known = callers.get(name);
    if (known) return known;
    const caller = { name, bytes: 0, arriving: new Set<HeldBody>(), arrivingBytes: 0 };
    callers.set(name, caller);
    return caller;
  }

  function release(body: HeldBody) {
    const { caller } = body;
    arrived(body);
    caller.bytes -= body.bytes;
    total -= body.bytes;
    body.bytes = 0;
    const isIdle = caller.bytes === 0 && caller.arriving.size === 0;
    // A body may be released twice, and a new caller may have this name by then.
    if (isIdle && callers.size > maxIdleCallers && callers.get(caller.name) === caller) callers.delete(caller.name);
  }

  function arrived(body: HeldBody) {
    if (body.giveUp === undefined) return;
    body.giveUp = undefined;
    body.caller.arriving.delete(body);
    body.caller.arrivingBytes -= body.bytes;
  }

  /** Aborts this caller's oldest arriving body that holds memory. False if there is none. */
  function evict({ arriving }: Caller, error: ApiError): boolean {
    for (const body of arriving) {
      if (body.bytes === 0) continue;
      const { giveUp } = body;
      release(body);
      giveUp?.(error);
      return true;
    }
    return false;
  }

  const slowest = () => [...callers.values()].reduce((most, caller) => (caller.arrivingBytes > most.arrivingBytes ? caller : most));

  return {
    /** Registers a body that begins to arrive. */
    open(name: string, giveUp: HeldBody['giveUp']): HeldBody {
      const caller = callerOf(name);
      const body: HeldBody = { caller, bytes: 0, giveUp };
      if (giveUp) caller.arriving.add(body);
      return body;
    },

    /** Adds bytes to the body. Throws if there is no room even after all slow bodies were aborted. */
    add(body: HeldBody, bytes: number) {
      const { caller } = body;
      body.bytes += bytes;
      caller.bytes += bytes;
      total += bytes;
      if (body.giveUp) caller.arrivingBytes += bytes;
      while (caller.bytes > maxCallerBytes) {
        if (evict(caller, tooManyOfCaller())) continue;
        release(body);
        throw tooManyOfCaller();
      }
      while (total > maxBytes) {
        if (evict(slowest(), full())) continue;
        release(body);
        throw full();
      }
    },

    /** Call when the body is complete or continues as a stream: it can no longer be aborted to free memory. */
    arrived,

    /** Frees the bytes of the body. May be called twice. */
    release,

    bytes: () => total,
  };
}
