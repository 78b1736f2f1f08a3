import { Readable } from 'node:stream';
import { visitorId } from '@mp/contracts/ids';
import type { AccountId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { z } from 'zod';
import type { Event } from '../events/event.ts';
import { eventView } from '../events/event-view.ts';
import type { EventsStore } from '../events/events-store.ts';
import { sessionView } from '../sessions/session-view.ts';
import type { SessionsStore } from '../sessions/sessions-store.ts';
import type { Visitor } from './visitor.ts';
import { viewOf } from './visitor-view.ts';
import type { VisitorsStore } from './visitors-store.ts';

type Deps = { visitors: VisitorsStore; sessions: SessionsStore; events: EventsStore };

export function exportVisitor(app: Server, { visitors, sessions, events }: Deps) {
  app.get(
    '/v2/leadpulse/visitors/:id/export',
    {
      config: { scope: 'leadpulse:read', produces: ['application/x-ndjson'] },
      schema: {
        operationId: 'exportVisitor',
        summary: 'Export a visitor',
        description:
          'Everything that is stored about a visitor, as JSON Lines: the visitor, then its sessions and its events, oldest first. Each line has a `type` (`visitor`, `session` or `event`) and `data`. ' +
          'Besides the fields of other responses, a visitor has its identifiers (`claims`) and the names of its events, and an event has its identifiers, `message_id`, campaign, device and `context`. ' +
          'A message ID that a page sent begins with `page` and the ID of its site.',
        params: z.object({ id: visitorId.describe('The ID of the visitor.') }),
      },
    },
    async (request, reply) => {
      const { accountId } = request.principal;
      const visitor = await visitors.get(accountId, request.params.id);
      const lines = Readable.from(linesOf({ sessions, events }, accountId, visitor));
      return reply.type('application/x-ndjson').header('content-disposition', `attachment; filename="${visitor.id}.ndjson"`).send(lines);
    },
  );
}

async function* linesOf({ sessions, events }: Pick<Deps, 'sessions' | 'events'>, accountId: AccountId, visitor: Visitor) {
  const line = (type: string, data: object) => `${JSON.stringify({ type, data })}\n`;
  yield line('visitor', { ...viewOf(visitor), claims: visitor.claims, event_names: visitor.event_names });
  for await (const session of sessions.ofVisitor(accountId, visitor.id)) yield line('session', sessionView(session));
  for await (const event of events.ofVisitor(accountId, visitor.id)) yield line('event', wholeEvent(event));
}

/** The event as the API returns it, and all else that is stored of it; its visitor key repeats the visitor ID or a claim. */
function wholeEvent({ account_id, visitor_key, name, time, ...stored }: Event) {
  return { ...stored, ...eventView({ account_id, visitor_key, name, time, ...stored }) };
}
