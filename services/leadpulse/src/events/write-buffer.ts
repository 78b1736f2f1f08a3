import { ApiError } from '@mp/contracts/errors';
import type { NewEvent } from './event-document.ts';
import type { EventsStore, Stored } from './events-store.ts';

export type WriteBuffer = ReturnType<typeof createWriteBuffer>;

type Call = { events: readonly NewEvent[]; settle: PromiseWithResolvers<Stored[]> };

/** MongoDB accepts up to 100,000 documents per write; smaller writes keep a large request from delaying many small ones. */
const maxEventsPerWrite = 2_000;

/** Concurrent writes: while they wait for the disk, the next one fills. */
const writesAtOnce = 2;

/**
 * Combines the events that arrive while earlier writes are in progress into one write (group commit): a lone request does
 * not wait, and many concurrent ones share one disk sync. A call resolves once its events are durable. Beyond `maxWaiting`
 * waiting events, calls fail with SERVICE_UNAVAILABLE, which bounds memory.
 */
export function createWriteBuffer(
  store: Pick<EventsStore, 'insert'>,
  { maxWaiting = 20_000, stored }: { maxWaiting?: number; stored?: () => void } = {},
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

  /** Takes as many calls as fit into one write, at least one. */
  function next(): Call[] {
    let events = 0;
    let calls = 0;
    for (const call of waiting) {
      if (calls > 0 && events + call.events.length > maxEventsPerWrite) break;
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
    /** Throws SERVICE_UNAVAILABLE if too many events are waiting or MongoDB is unavailable. */
    store(events: readonly NewEvent[]): Promise<Stored[]> {
      if (waitingEvents + events.length > maxWaiting) {
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
