import { isId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import type { Background } from '@mp/service-kit/runner';
import { createEventStreams, eventStreamType } from '@mp/service-kit/server-sent-events';
import type { Suspended } from '@mp/service-kit/suspensions';
import { z } from 'zod';
import { Country, EventName } from '../events/event-body.ts';
import type { EventsStore } from '../events/events-store.ts';
import { listedEvent } from '../events/list-events.ts';
import { maxMore, maxShown, readEvents } from './read-events.ts';

const maxPerAccount = 10;

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
export function streamEvents(app: Server, { events, suspended }: { events: EventsStore; suspended: Suspended }): Background {
  const eventStreams = createEventStreams({ max: 50, maxPerAccount, suspended });

  app.get(
    '/v2/leadpulse/events/stream',
    {
      config: { scope: 'leadpulse:read', produces: [eventStreamType] },
      schema: {
        operationId: 'streamEvents',
        summary: 'Stream events as they are counted',
        description:
          'Returns server-sent events: at most one message per second, with the type `events` and as data `{"events": […], "more": 0}`. ' +
          `A message has the latest ${maxShown} events in the form of the list of events; \`more\` is the number of others, at most ${maxMore.toLocaleString('en')}. ` +
          `With \`Accept: ${eventStreamType}\` the response stays open for up to five minutes; otherwise it has only the waiting events. ` +
          'When it ends, send the last `id` as `Last-Event-ID` or `after` to continue from there. Events arrive two to three seconds after they were received; ' +
          `an event that takes longer to be stored is only in the list. An account can have ${maxPerAccount} open streams.`,
        querystring: Query,
      },
    },
    (request, reply) => {
      const { accountId } = request.principal;
      const given = Position.safeParse(request.headers['last-event-id']);
      const after = given.success ? given.data : request.query.after;
      return eventStreams.send(request, reply, async (stream) =>
        readEvents({ events, accountId, where: filterOf(request.query), viewOf: listedEvent, after, stream }),
      );
    },
  );

  return eventStreams;
}
