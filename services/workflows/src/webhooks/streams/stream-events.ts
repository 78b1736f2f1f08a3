import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, invalid } from '@mp/contracts/errors';
import { eventRefusal } from '@mp/contracts/webhooks/read-scopes';
import type { Principal, Server } from '@mp/service-kit/create-server';
import { requireNoMaintenance } from '@mp/service-kit/maintenance';
import type { Background } from '@mp/service-kit/runner';
import { createEventStreams, eventStreamType } from '@mp/service-kit/server-sent-events';
import type { Suspended } from '@mp/service-kit/suspensions';
import { z } from 'zod';
import { EventPattern } from '../definitions/webhook.ts';
import { readStream } from './read-stream.ts';
import { type HeldStream, keptSeconds, maxStreamsPerAccount, type StreamsStore, settleMs } from './streams-store.ts';

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
export function streamEvents(app: Server, { streams, suspended, maintenance }: Deps): Background {
  const eventStreams = createEventStreams({ max: 24, maxPerAccount: 10, suspended });

  async function begin({ accountId, ...grant }: Principal, { events, after }: z.output<typeof Query>): Promise<HeldStream> {
    const patterns = patternsOf(events);
    for (const pattern of patterns) {
      const refused = pattern === '*' ? undefined : eventRefusal(grant, pattern);
      if (refused !== undefined) throw new ApiError('FORBIDDEN', `${pattern}: ${refused}`);
    }
    if (after !== undefined) {
      const [id = ''] = after.split('.');
      const resumed = await streams.resume(accountId, id);
      if (resumed) return resumed;
      throw new ApiError('INVALID_STATE', 'This stream has ended, and later events were not recorded; open a new one, without after.');
    }
    const created = await streams.create(accountId, patterns);
    await sleep(settleMs);
    return created;
  }

  app.get(
    '/v2/webhooks/stream',
    {
      config: { scope: 'webhooks:read', produces: [eventStreamType] },
      schema: {
        operationId: 'streamWebhookEvents',
        tags: ['webhooks'],
        summary: 'Stream events as they happen',
        description:
          'For development and for programs without a public URL. Returns server-sent events: `event` is the type, `data` the payload that a ' +
          `webhook would receive. With \`Accept: ${eventStreamType}\` the response stays open for up to five minutes; otherwise it has only the ` +
          'waiting events. When it ends, send the last `id` as `after`: the stream continues with every event since. An event can arrive ' +
          `twice, with the same \`id\` in its payload. Events are recorded for ${keptSeconds} seconds after a connection is lost; then the ` +
          `stream ends, and resuming it fails with 409. It has only events about what the credential may read: those of contacts need \`contacts:read\`, ` +
          'and so on; events of API keys need the permission Admin. ' +
          `An account has at most ${maxStreamsPerAccount} streams; a new one ends the oldest.`,
        querystring: Query,
      },
    },
    (request, reply) => {
      requireNoMaintenance(maintenance);
      const after = Number(request.query.after?.split('.')[1] ?? 0);
      return eventStreams.send(request, reply, async (stream) => {
        const held = await begin(request.principal, request.query);
        const mayRead = (type: string) => eventRefusal(request.principal, type) === undefined;
        return readStream({ streams, held, after, stream, mayRead });
      });
    },
  );

  return eventStreams;
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
