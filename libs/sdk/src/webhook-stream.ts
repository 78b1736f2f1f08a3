import type { Client } from './client.ts';
import { pause } from './retry.ts';
import type { WebhookEvent, WebhookEventSelector } from './webhook-event.ts';

export type ListenOptions = {
  /** Types of events, or groups such as `contact.*`. Default: all. */
  events?: readonly (WebhookEventSelector | (string & {}))[];
  /** Ends the stream. */
  signal?: AbortSignal;
  /** Called when the stream is open: every event from now on follows. */
  onOpen?: () => void;
};

const mediaType = 'text/event-stream';

/** After a connection was lost. */
const reconnectMs = 1_000;

/** Events are kept for a minute after a connection is lost, so there is time for several attempts. */
const maxRetries = 8;

type Message = { id: string | undefined; data: string | undefined };

/** The messages of server-sent events, one field per line, until the connection ends or is lost. */
async function* messagesOf(response: Response): AsyncGenerator<Message, void, undefined> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const read = () => reader?.read().catch(() => undefined);
  let text = '';
  try {
    for (let part = await read(); part?.value !== undefined; part = await read()) {
      const blocks = (text + part.value).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const lines = block.split('\n');
        const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
        yield { id: field('id'), data: field('data') };
      }
    }
  } finally {
    await reader?.cancel().catch(() => undefined);
  }
}

/**
 * The events of the account as they happen. Reconnects, and then continues with every event since. Throws a `ConflictError`
 * if it was disconnected for more than a minute, because later events were not kept.
 */
export async function* listen(
  client: Client,
  { events, signal, onOpen }: ListenOptions = {},
): AsyncGenerator<WebhookEvent, void, undefined> {
  const options = { headers: { accept: mediaType }, maxRetries, ...(signal && { signal }) };
  let after: string | undefined;
  try {
    for (;;) {
      const query = after === undefined ? { events: events?.join(',') } : { after };
      const response = await client.response({ method: 'GET', path: '/v2/webhooks/stream', query }, options);
      for await (const { id, data } of messagesOf(response)) {
        if (after === undefined) onOpen?.();
        after = id ?? after;
        // The OpenAPI document promises the type.
        if (data !== undefined) yield JSON.parse(data) as WebhookEvent;
      }
      await pause(reconnectMs, signal);
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}
