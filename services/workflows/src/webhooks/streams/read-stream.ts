import { setTimeout as sleep } from 'node:timers/promises';
import type { Suspended } from '@mp/service-kit/suspensions';
import type { HeldStream, StreamEvent, StreamsStore } from './streams-store.ts';

/** How often a stream looks for events, and how often it sends a keep-alive: proxies close silent connections. */
const lookEveryMs = 250;
const aliveEveryMs = 10_000;

const eventText = (id: string, { number, type, payload }: StreamEvent) => `id: ${id}.${number}\nevent: ${type}\ndata: ${payload}\n\n`;

type Reading = {
  streams: StreamsStore;
  suspended: Suspended;
  stream: HeldStream;
  /** The number of the last event that the client has. */
  after: number;
  /** How long to wait for events; 0 for only what there is. */
  forMs: number;
  stopping: AbortSignal;
};

/**
 * The server-sent events of a stream, until the time is up, the process stops, the account is suspended, or another connection
 * reads the stream.
 */
export async function* readStream({
  streams,
  suspended,
  stream,
  after,
  forMs,
  stopping,
}: Reading): AsyncGenerator<string, void, undefined> {
  const { id } = stream;
  const end = performance.now() + forMs;
  yield `retry: 1000\nid: ${id}.${after}\n\n`;
  if (suspended.has(stream.accountId)) return;
  for (const event of await streams.sentAfter(stream, after)) yield eventText(id, event);
  let wroteAt = performance.now();
  do {
    const taken = await streams.take(stream);
    if (!taken) return;
    if (taken.length > 0) yield taken.map((event) => eventText(id, event)).join('');
    else if (performance.now() - wroteAt >= aliveEveryMs) yield ': alive\n\n';
    else {
      if (forMs > 0) await sleep(lookEveryMs, undefined, { signal: stopping }).catch(() => undefined);
      continue;
    }
    wroteAt = performance.now();
  } while (performance.now() < end && !stopping.aborted && !suspended.has(stream.accountId));
}
