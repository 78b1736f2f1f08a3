import { success } from '@mp/contracts/envelope';
import { visitorId } from '@mp/contracts/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { Server } from '@mp/service-kit/create-server';
import { includeContact, includeContacts } from '@mp/service-kit/include-contacts';
import { z } from 'zod';
import { EventView, eventView } from '../events/event-view.ts';
import type { EventsStore } from '../events/events-store.ts';
import { SessionView, sessionView } from '../sessions/session-view.ts';
import type { SessionsStore } from '../sessions/sessions-store.ts';
import { VisitorView, viewOf } from './visitor-view.ts';
import type { VisitorsStore } from './visitors-store.ts';

const shownSessions = 20;
const shownEvents = 50;

const VisitorWithHistory = VisitorView.extend({
  recent_sessions: z.array(SessionView).describe(`The latest ${shownSessions}, newest first.`),
  recent_events: z.array(EventView).describe(`The latest ${shownEvents}, newest first.`),
}).meta({ id: 'VisitorWithHistory' });

type Deps = { visitors: VisitorsStore; sessions: SessionsStore; events: EventsStore; broker: Pick<Broker, 'request'> };

export function getVisitor(app: Server, { visitors, sessions, events, broker }: Deps) {
  app.get(
    '/v2/leadpulse/visitors/:id',
    {
      config: { scope: 'leadpulse:read' },
      schema: {
        operationId: 'getVisitor',
        summary: 'Get a visitor with its latest sessions and events',
        description: 'By its ID in LeadPulse. To find a visitor by your anonymous ID, list visitors with `visitor_id=`.',
        params: z.object({ id: visitorId.describe('The ID of the visitor.') }),
        querystring: z.strictObject({ include: includeContact }),
        response: { 200: success(VisitorWithHistory) },
      },
    },
    async (request) => {
      const { accountId } = request.principal;
      const visitor = await visitors.get(accountId, request.params.id);
      const [latestSessions, latestEvents] = await Promise.all([
        sessions.latestOf(accountId, visitor.id, shownSessions),
        events.latestOf(accountId, visitor.id, shownEvents),
      ]);
      const history = { recent_sessions: latestSessions.map(sessionView), recent_events: latestEvents.map(eventView) };
      const { contact_id } = visitor;
      const included = request.query.include ? (await includeContacts(broker, request.principal, [contact_id]))(contact_id) : {};
      return { success: true as const, data: { ...viewOf(visitor), ...included, ...history } };
    },
  );
}
