import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, invalid } from '@mp/contracts/errors';
import type { AccountId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Suspended } from '@mp/service-kit/suspensions';
import { z } from 'zod';
import { EventPattern } from '../endpoints/webhook.ts';
import { readStream } from './read-stream.ts';
import { type HeldStream, keptSeconds, maxStreamsPerAccount, type StreamsStore, settleMs } from './streams-store.ts';

const mediaType = 'text/event-stream';

/** A client reconnects after this long, and its credential is checked again. */
const maxOpenMs = 5 * 60_000;

/** Per process; each keeps a connection of the gateway. */
const maxOpen = 24;

const Query = z.strictObject({
  events: z
    .string()
    .max(1_000)
    .default('*')
    .describe('Types of events, groups such as `contact.*`, or `*`, separated by commas. Only for a new stream.'),
  after: z
    .string()
    .max(100)
    .regex(/^stream_[0-9a-z]{26}\.\d{1,15}$/, 'Use the id of the last event you received, such as stream_….7.')
    .optional()
    .describe('The id of the last event you received: resumes its stream.'),
});

type Deps = { streams: StreamsStore; suspended: Suspended; maintenance: boolean };

/** Returns the background work that ends all streams when the process stops. */
export function streamEvents(app: Server, { streams, suspended, maintenance }: Deps) {
  const stopping = new AbortController();
  let open = 0;

  async function begin(accountId: AccountId, { events, after, forMs }: { events: string; after: string | undefined; forMs: number }) {
    const patterns = patternsOf(events);
    const [id = '', number] = after?.split('.') ?? [];
    const stream: HeldStream | undefined = after ? await streams.resume(accountId, id) : await streams.create(accountId, patterns);
    if (!stream)
      throw new ApiError('INVALID_STATE', 'This stream has ended, and later events were not recorded; open a new one, without after.');
    if (!after) await sleep(settleMs);
    return readStream({ streams, suspended, stream, after: Number(number ?? 0), forMs, stopping: stopping.signal });
  }

  app.get(
    '/v2/webhooks/stream',
    {
      config: { scope: 'webhooks:read', answers: [mediaType] },
      schema: {
        operationId: 'streamWebhookEvents',
        tags: ['webhooks'],
        summary: 'Stream events as they happen',
        description:
          'For development and for programs without a public URL. Returns server-sent events: `event` is the type, `data` the payload that a ' +
          `webhook would receive. With \`Accept: ${mediaType}\` the response stays open for up to five minutes; otherwise it has only the ` +
          'waiting events. When it ends, send the last `id` as `after`: the stream continues with every event since. An event can arrive ' +
          `twice, with the same \`id\` in its payload. Events are recorded for ${keptSeconds} seconds after a connection is lost; then the ` +
          `stream ends, and resuming it fails with 409. An account has at most ${maxStreamsPerAccount} streams; a new one ends the oldest.`,
        querystring: Query,
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const { events, after } = request.query;
      const staysOpen = request.method === 'GET' && request.headers.accept?.includes(mediaType) === true;
      if (maintenance)
        throw new ApiError('SERVICE_UNAVAILABLE', 'Nothing is sent during maintenance; try again later.', { retryAfter: 60 });
      if (staysOpen && open >= maxOpen)
        throw new ApiError('SERVICE_UNAVAILABLE', 'Too many streams are open; try again.', { retryAfter: 10 });
      // Counted before anything is awaited, so that concurrent requests cannot pass the limit together.
      open += 1;
      const ended = () => {
        open -= 1;
      };
      const reading = await begin(accountId, { events, after, forMs: staysOpen ? maxOpenMs : 0 }).catch((error: unknown) => {
        ended();
        throw error;
      });
      const body = Readable.from(reading, { objectMode: false }).once('close', ended);
      // An idle connection would delay a stop of the process.
      if (staysOpen) reply.header('connection', 'close');
      return reply.type(`${mediaType}; charset=utf-8`).header('cache-control', 'no-store').header('x-accel-buffering', 'no').send(body);
    },
  );

  return { start: () => undefined, stop: async () => stopping.abort() };
}

function patternsOf(events: string): string[] {
  const patterns = z
    .array(EventPattern)
    .min(1)
    .max(50)
    .safeParse(events.split(',').map((pattern) => pattern.trim()));
  if (!patterns.success) throw invalid('/query/events', 'unknown_event_type', patterns.error.issues[0]?.message ?? 'Unknown event type.');
  return [...new Set(patterns.data)];
}
