import { success } from '@mp/contracts/envelope';
import type { Server } from '@mp/service-kit/create-server';
import { noQuery } from '@mp/service-kit/list';
import { z } from 'zod';
import { amountsOf, Money } from '../analytics/money.ts';
import type { Event } from '../events/event.ts';
import type { EventsStore } from '../events/events-store.ts';
import { durationMs, isBounce, type StoredSession } from '../sessions/session.ts';
import type { SessionsStore } from '../sessions/sessions-store.ts';
import { VisitorView, viewOf } from './visitor-view.ts';
import type { VisitorsStore } from './visitors-store.ts';

const maybe = z.string().nullable();

const SessionView = z
  .object({
    id: z.string(),
    started_at: z.iso.datetime(),
    ended_at: z.iso.datetime(),
    duration_seconds: z.number(),
    events: z.number().int(),
    pageviews: z.number().int(),
    bounced: z.boolean(),
    bot: z.boolean(),
    entry_page: maybe,
    exit_page: maybe,
    channel: z.string(),
    source: z.string(),
    referrer: maybe,
    utm_source: maybe,
    utm_medium: maybe,
    utm_campaign: maybe,
    device: maybe,
    browser: maybe,
    os: maybe,
    country: maybe,
    value: z.array(Money),
  })
  .meta({ id: 'Session' });

const EventView = z
  .object({
    id: z.string(),
    event: z.string(),
    timestamp: z.iso.datetime(),
    received_at: z.iso.datetime(),
    contact_id: maybe,
    bot: z.boolean(),
    backfill: z.boolean(),
    properties: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
    page: z.object({ url: maybe, path: maybe, title: maybe, referrer: maybe }).nullable(),
    value: Money.nullable(),
  })
  .meta({ id: 'TrackedEvent' });

const shownSessions = 20;
const shownEvents = 50;

const VisitorWithHistory = VisitorView.extend({
  recent_sessions: z.array(SessionView).describe(`The latest ${shownSessions}, newest first.`),
  recent_events: z.array(EventView).describe(`The latest ${shownEvents}, newest first.`),
}).meta({ id: 'VisitorWithHistory' });

type Stores = { visitors: VisitorsStore; sessions: SessionsStore; events: EventsStore };

export function getVisitor(app: Server, { visitors, sessions, events }: Stores) {
  app.get(
    '/v2/leadpulse/visitors/:id',
    {
      config: { scope: 'leadpulse:read' },
      schema: {
        operationId: 'getVisitor',
        summary: 'Get a visitor with its latest sessions and events',
        description: 'By its ID in LeadPulse. To find a visitor by your anonymous ID, list visitors with `visitor_id=`.',
        params: z.object({ id: z.string() }),
        querystring: noQuery,
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
      return { success: true as const, data: { ...viewOf(visitor), ...history } };
    },
  );
}

function sessionView(session: StoredSession): z.input<typeof SessionView> {
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

function eventView(event: Event): z.input<typeof EventView> {
  const { id, name, time, received_at, contact_id, bot, backfill, properties, page, value } = event;
  const [amount] = value ? amountsOf({ [value.currency]: value.units }) : [];
  return {
    ...{ id, event: name, contact_id, bot, backfill, properties, page },
    timestamp: time.toISOString(),
    received_at: received_at.toISOString(),
    value: amount ?? null,
  };
}
