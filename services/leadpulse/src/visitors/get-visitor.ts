import { success } from '@mp/contracts/envelope';
import { visitorId } from '@mp/contracts/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { Server } from '@mp/service-kit/create-server';
import { includeContact, includeContacts } from '@mp/service-kit/include-contacts';
import { z } from 'zod';
import { amountsOf, Money } from '../analytics/money.ts';
import { EventView, eventView } from '../events/event-view.ts';
import type { EventsStore } from '../events/events-store.ts';
import { durationMs, isBounce, type StoredSession } from '../sessions/session.ts';
import type { SessionsStore } from '../sessions/sessions-store.ts';
import { VisitorView, viewOf } from './visitor-view.ts';
import type { VisitorsStore } from './visitors-store.ts';

const maybe = z.string().nullable();

const SessionView = z
  .object({
    id: z.string().describe('The ID of the session.'),
    started_at: z.iso.datetime().describe('The time of the first event.'),
    ended_at: z.iso.datetime().describe('The time of the last event.'),
    duration_seconds: z.number().describe('The time between the first and last event, in seconds.'),
    events: z.number().int().describe('The number of events.'),
    pageviews: z.number().int().describe('The number of page views.'),
    bounced: z.boolean().describe('Whether it has at most one page view and no custom event.'),
    bot: z.boolean().describe('Whether its events came from a bot.'),
    entry_page: maybe.describe('The path of the first page.'),
    exit_page: maybe.describe('The path of the last page.'),
    channel: z.string().describe('The channel, such as `organic_search`.'),
    source: z.string().describe('The source, such as a host or `direct`.'),
    referrer: maybe.describe('The host of the referring page.'),
    utm_source: maybe.describe('The `utm_source` of the link.'),
    utm_medium: maybe.describe('The `utm_medium` of the link.'),
    utm_campaign: maybe.describe('The `utm_campaign` of the link.'),
    device: maybe.describe('The device type.'),
    browser: maybe.describe('The browser.'),
    os: maybe.describe('The operating system.'),
    country: maybe.describe('The country.'),
    value: z.array(Money).describe('The total value of its events, by currency.'),
  })
  .meta({ id: 'Session' });

const shownSessions = 20;
const shownEvents = 50;

const VisitorWithHistory = VisitorView.extend({
  recent_sessions: z.array(SessionView).describe(`The latest ${shownSessions}, newest first.`),
  recent_events: z.array(EventView).describe(`The latest ${shownEvents}, newest first.`),
}).meta({ id: 'VisitorWithHistory' });

type Deps = { visitors: VisitorsStore; sessions: SessionsStore; events: EventsStore; broker: Pick<Broker, 'ask'> };

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

export function sessionView(session: StoredSession): z.input<typeof SessionView> {
  const { id, first, last, events, pageviews, bot, entry, exit, touch, device, browser, os, country } = session;
  return {
    ...{ id, events, pageviews, bot, device, browser, os, country, ...touch },
    started_at: first.at.toISOString(),
    ended_at: last.at.toISOString(),
    duration_seconds: durationMs(session) / 1_000,
    bounced: isBounce(session),
    entry_page: entry?.path ?? null,
    exit_page: exit?.path ?? null,
    value: amountsOf(session.values),
  };
}
