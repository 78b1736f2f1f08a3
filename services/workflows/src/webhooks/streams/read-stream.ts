import type { EventStream } from '@mp/service-kit/server-sent-events';
import type { HeldStream, StreamEvent, StreamsStore } from './streams-store.ts';

/** How often a stream looks for events, and how often it sends a keep-alive: proxies close silent connections. */
const lookEveryMs = 250;
const aliveEveryMs = 10_000;

const eventText = (id: string, { number, type, payload }: StreamEvent) => `id: ${id}.${number}\nevent: ${type}\ndata: ${payload}\n\n`;

type Reading = {
  streams: StreamsStore;
  held: HeldStream;
  /** The number of the last event that the client has. */
  after: number;
  stream: EventStream;
  /** Whether the client may read events of this type. Others are left out, and keep their numbers. */
  mayRead: (type: string) => boolean;
};

/** The server-sent events of a stream, until it ends or another connection reads it. */
export async function* readStream({ streams, held, after, stream, mayRead }: Reading): AsyncGenerator<string, void, undefined> {
  const { id } = held;
  yield `retry: 1000\nid: ${id}.${after}\n\n`;
  for (const event of await streams.sentAfter(held, after)) if (mayRead(event.type)) yield eventText(id, event);
  let wroteAt = performance.now();
  let isWaiting = true;
  do {
    const taken = await streams.take(held);
    if (!taken) return;
    isWaiting = taken.length === 0;
    const readable = taken.filter(({ type }) => mayRead(type));
    if (readable.length > 0) yield readable.map((event) => eventText(id, event)).join('');
    else if (performance.now() - wroteAt >= aliveEveryMs) yield ': alive\n\n';
    else continue;
    wroteAt = performance.now();
  } while (await stream.continues(isWaiting ? lookEveryMs : 0));
}
