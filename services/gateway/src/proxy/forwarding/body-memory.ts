import { ApiError } from '@mp/contracts/errors';

/** One request's body in memory. `giveUp` while it is still arriving: called when the memory is needed for others. */
export type HeldBody = { caller: Caller; bytes: number; giveUp: ((error: ApiError) => void) | undefined };

type Caller = { name: string; bytes: number; arriving: Set<HeldBody>; arrivingBytes: number };

export type BodyMemory = ReturnType<typeof createBodyMemory>;

/** Callers without a body in memory are kept up to this many: the same few call again and again. */
const idleCallersMax = 1_000;

const full = () => new ApiError('SERVICE_UNAVAILABLE', 'Too many request bodies arrive at once; try again.', { retryAfter: 2 });
const tooManyOfCaller = () =>
  new ApiError('RATE_LIMITED', 'Too many of your request bodies arrive or wait at once; send fewer at a time.', { retryAfter: 1 });

/**
 * Bounds the bytes of all request bodies in memory, and those of one caller. Where there is no room, the body that has been
 * arriving the longest gives way, of the caller whose unfinished bodies hold the most: slow clients cannot keep out those
 * that send a request in one go.
 */
export function createBodyMemory(bytesMax = 96 * 2 ** 20, callerBytesMax = bytesMax / 3) {
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
    // Not one that came under this name since: a body may be given back twice.
    if (isIdle && callers.size > idleCallersMax && callers.get(caller.name) === caller) callers.delete(caller.name);
  }

  function arrived(body: HeldBody) {
    if (body.giveUp === undefined) return;
    body.giveUp = undefined;
    body.caller.arriving.delete(body);
    body.caller.arrivingBytes -= body.bytes;
  }

  /** Ends the body of this caller that has been arriving the longest, of those that hold anything. False when there is none. */
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
    /** A body that begins to arrive. */
    open(name: string, giveUp: HeldBody['giveUp']): HeldBody {
      const caller = callerOf(name);
      const body: HeldBody = { caller, bytes: 0, giveUp };
      if (giveUp) caller.arriving.add(body);
      return body;
    },

    /** Throws when there is no room, even after everything slow has given way. */
    add(body: HeldBody, bytes: number) {
      const { caller } = body;
      body.bytes += bytes;
      caller.bytes += bytes;
      total += bytes;
      if (body.giveUp) caller.arrivingBytes += bytes;
      while (caller.bytes > callerBytesMax) {
        if (evict(caller, tooManyOfCaller())) continue;
        release(body);
        throw tooManyOfCaller();
      }
      while (total > bytesMax) {
        if (evict(slowest(), full())) continue;
        release(body);
        throw full();
      }
    },

    /** It is complete, or goes on as a stream: what is in memory of it is not taken away any more. */
    arrived,

    /** Gives its bytes back; harmless when that was done before. */
    release,

    bytes: () => total,
  };
}
