import { Readable } from 'node:stream';
import { visitorId } from '@mp/contracts/ids';
import type { AccountId } from '@mp/ids';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { z } from 'zod';
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
      config: { scope: 'leadpulse:read', answers: ['application/x-ndjson'] },
      schema: {
        operationId: 'exportVisitor',
        summary: 'Export a visitor',
        description:
          'Everything that is stored about a visitor, as JSON Lines: the visitor, then its sessions and its events, oldest first. Each line has a `type` (`visitor`, `session` or `event`) and `data`.',
        params: z.object({ id: visitorId.describe('The ID of the visitor.') }),
        querystring: noQuery,
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
  yield line('visitor', viewOf(visitor));
  for await (const session of sessions.ofVisitor(accountId, visitor.id)) yield line('session', sessionView(session));
  for await (const event of events.ofVisitor(accountId, visitor.id)) yield line('event', eventView(event));
}
