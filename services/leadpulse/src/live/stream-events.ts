import { Readable } from 'node:stream';
import { ApiError } from '@mp/contracts/errors';
import { type AccountId, isId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Suspended } from '@mp/service-kit/suspensions';
import { z } from 'zod';
import { Country, EventName } from '../events/event-body.ts';
import type { EventsStore } from '../events/events-store.ts';
import { listedEvent } from '../events/list-events.ts';
import { maxMore, maxShown, readEvents } from './read-events.ts';

const mediaType = 'text/event-stream';

/** A client reconnects after this long, and its credential is checked again. */
const maxOpenMs = 5 * 60_000;

/** Per process; each keeps a connection of the gateway. */
const maxOpen = 50;
const maxOpenPerAccount = 10;

const Position = z
  .string()
  .max(100)
  .refine((id) => isId('activity', id), 'Use the id of the last message you received, such as activity_….');

const Query = z.strictObject({
  event: EventName.optional().describe('Only events with this name.'),
  visitor: z.string().min(1).max(100).optional().describe('Only the events of the visitor with this ID, such as `visitor_…`.'),
  page: z.string().min(1).max(500).startsWith('/').optional().describe('Only events on the page with this path.'),
  country: Country.optional().describe('Only events from this country.'),
  include: z.literal('bots').optional().describe('`bots`: also events from bots.'),
  after: Position.optional().describe('The id of the last message you received. Browsers send it automatically as `Last-Event-ID`.'),
});

const filterOf = ({ event, visitor, page, country, include }: z.output<typeof Query>) => ({
  ...(event !== undefined && { name: event }),
  ...(visitor !== undefined && { visitor }),
  ...(page !== undefined && { 'page.path': page }),
  ...(country !== undefined && { country }),
  ...(include !== 'bots' && { bot: false }),
});

/** Returns the background work that ends all streams when the process stops. */
export function streamEvents(app: Server, { events, suspended }: { events: EventsStore; suspended: Suspended }) {
  const stopping = new AbortController();
  const open = new Map<AccountId, number>();
  let all = 0;

  /** Throws if too many streams are open. Returns what to call when the stream ends. */
  function count(accountId: AccountId): () => void {
    const own = open.get(accountId) ?? 0;
    if (own >= maxOpenPerAccount)
      throw new ApiError('RATE_LIMITED', `At most ${maxOpenPerAccount} streams may be open; close one first.`, { retryAfter: 10 });
    if (all >= maxOpen) throw new ApiError('SERVICE_UNAVAILABLE', 'Too many streams are open; try again.', { retryAfter: 10 });
    open.set(accountId, own + 1);
    all += 1;
    return () => {
      all -= 1;
      const left = (open.get(accountId) ?? 1) - 1;
      if (left === 0) open.delete(accountId);
      else open.set(accountId, left);
    };
  }

  app.get(
    '/v2/leadpulse/events/stream',
    {
      config: { scope: 'leadpulse:read', answers: [mediaType] },
      schema: {
        operationId: 'streamEvents',
        summary: 'Stream events as they are counted',
        description:
          'Returns server-sent events: at most one message per second, with the type `events` and as data `{"events": […], "more": 0}`. ' +
          `A message has the latest ${maxShown} events in the form of the list of events; \`more\` is the number of others, at most ${maxMore.toLocaleString('en')}. ` +
          `With \`Accept: ${mediaType}\` the response stays open for up to five minutes; otherwise it has only the waiting events. ` +
          'When it ends, send the last `id` as `Last-Event-ID` or `after` to continue from there. Events arrive two to three seconds after they were received; ' +
          `an event that takes longer to be stored is only in the list. An account can have ${maxOpenPerAccount} open streams.`,
        querystring: Query,
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const staysOpen = request.method === 'GET' && request.headers.accept?.includes(mediaType) === true;
      const given = Position.safeParse(request.headers['last-event-id']);
      const reading = readEvents({
        ...{ events, suspended, accountId, where: filterOf(request.query), viewOf: listedEvent },
        after: given.success ? given.data : request.query.after,
        forMs: staysOpen ? maxOpenMs : 0,
        stopping: stopping.signal,
      });
      const body = Readable.from(reading, { objectMode: false });
      if (staysOpen) {
        body.once('close', count(accountId));
        // An idle connection would delay a stop of the process.
        reply.header('connection', 'close');
      }
      return reply.type(`${mediaType}; charset=utf-8`).header('cache-control', 'no-store').header('x-accel-buffering', 'no').send(body);
    },
  );

  return { start: () => undefined, stop: async () => stopping.abort() };
}
