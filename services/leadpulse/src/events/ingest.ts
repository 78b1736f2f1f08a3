import { ApiError } from '@mp/contracts/errors';
import type { EventsStore, NewEvent, Stored } from './events-store.ts';

export type Ingest = ReturnType<typeof createIngest>;

type Call = { events: readonly NewEvent[]; settle: PromiseWithResolvers<Stored[]> };

/** MongoDB takes up to 100,000 in one write; smaller writes keep one large call from delaying a hundred small ones. */
const mostInOneWrite = 2_000;

/** Writes on their way to the disk at once: while they wait for its sync, the next one fills. */
const writesAtOnce = 2;

/**
 * Makes one write of the events that arrive while the writes before are on their way, as a database commits groups: a
 * lone call does not wait, a thousand share one sync. A call resolves once its events are durable. When more wait than
 * the limit, callers are told to come back before memory grows.
 */
export function createIngest(
  store: Pick<EventsStore, 'insert'>,
  { mostWaiting = 20_000, stored }: { mostWaiting?: number; stored?: () => void } = {},
) {
  const waiting: Call[] = [];
  let waitingEvents = 0;
  let writing = 0;
  let scheduled = false;

  function schedule() {
    if (scheduled || writing >= writesAtOnce || waiting.length === 0) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      void write(next());
      schedule();
    });
  }

  /** At least one call, and as many as fit in one write. */
  function next(): Call[] {
    let events = 0;
    let calls = 0;
    for (const call of waiting) {
      if (calls > 0 && events + call.events.length > mostInOneWrite) break;
      events += call.events.length;
      calls += 1;
    }
    waitingEvents -= events;
    return waiting.splice(0, calls);
  }

  async function write(calls: Call[]) {
    writing += 1;
    try {
      const results = await store.insert(calls.flatMap((call) => call.events));
      let from = 0;
      for (const { events, settle } of calls) {
        settle.resolve(results.slice(from, from + events.length));
        from += events.length;
      }
      stored?.();
    } catch (error) {
      for (const { settle } of calls) settle.reject(error);
    } finally {
      writing -= 1;
      schedule();
    }
  }

  return {
    /** Throws SERVICE_UNAVAILABLE when too many events wait already, or MongoDB is away. */
    store(events: readonly NewEvent[]): Promise<Stored[]> {
      if (waitingEvents + events.length > mostWaiting) {
        throw new ApiError('SERVICE_UNAVAILABLE', 'Events arrive faster than they can be stored; retry.', { retryAfter: 1 });
      }
      const settle = Promise.withResolvers<Stored[]>();
      waiting.push({ events, settle });
      waitingEvents += events.length;
      schedule();
      return settle.promise;
    },
  };
}
