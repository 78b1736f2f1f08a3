import { type AccountId, firstIdAt } from '@mp/ids';
import type { EventStream } from '@mp/service-kit/server-sent-events';
import type { Event } from '../events/event.ts';
import type { EventsStore } from '../events/events-store.ts';

/** At most one message in this time. */
const messageEveryMs = 1_000;
/** Proxies close silent connections. */
const aliveEveryMs = 10_000;
/** Events whose IDs are younger may still be stored by another process. */
const settleMs = 2_000;

/** The events in one message, and how many more are counted. */
export const maxShown = 100;
export const maxMore = 10_000;

type Reading = {
  events: Pick<EventsStore, 'received' | 'firstPending'>;
  accountId: AccountId;
  where: Record<string, unknown>;
  viewOf: (received: { event: Event; visitor: string }) => object;
  /** The position up to which the client has the events; now if undefined. */
  after: string | undefined;
  stream: EventStream;
};

/** Where everything before is counted, so that a stream that has read up to here has missed nothing. */
async function settledPosition({ events, accountId }: Reading): Promise<string> {
  // The clock is read first: an event that is stored after the query has a later ID.
  const horizon = firstIdAt('activity', new Date(Date.now() - settleMs));
  const pending = await events.firstPending(accountId);
  return pending !== undefined && pending < horizon ? pending : horizon;
}

/** The server-sent events of a stream, until it ends. */
export async function* readEvents(reading: Reading): AsyncGenerator<string, void, undefined> {
  const { events, accountId, where, viewOf, stream } = reading;
  let position = reading.after ?? firstIdAt('activity', new Date());
  let written = position;
  yield `retry: 1000\nid: ${position}\n\n`;
  let wroteAt = performance.now();
  do {
    const to = await settledPosition(reading);
    if (to > position) {
      const found = await events.received(accountId, { from: position, to, where, limit: maxShown, maxMore });
      position = to;
      if (found.events.length > 0) {
        const data = JSON.stringify({ events: found.events.map(viewOf), more: found.more });
        yield `id: ${position}\nevent: events\ndata: ${data}\n\n`;
        written = position;
        wroteAt = performance.now();
      }
    }
    if (performance.now() - wroteAt >= aliveEveryMs) {
      yield `: alive\nid: ${position}\n\n`;
      written = position;
      wroteAt = performance.now();
    }
  } while (await stream.continues(messageEveryMs));
  // So that the client does not wait for events that it has seen not to match.
  if (position !== written) yield `id: ${position}\n\n`;
}
