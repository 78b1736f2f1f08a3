import { z } from 'zod';
import type { Visitor, VisitorTouch } from './visitor.ts';

const moment = z.iso.datetime();
const maybe = z.string().nullable();

const Touch = z
  .object({
    at: moment,
    page: maybe.describe('The first page of that session.'),
    channel: z.string(),
    source: z.string(),
    referrer: maybe,
    utm_source: maybe,
    utm_medium: maybe,
    utm_campaign: maybe,
  })
  .meta({ id: 'VisitorTouch' });

/** A visitor as the API returns it. */
export const VisitorView = z
  .object({
    id: z.string().describe('Opaque; starts with `visitor_`.'),
    visitor_id: maybe.describe('Your anonymous ID; null if no event of the visitor had one.'),
    contact_id: maybe,
    identified: z.boolean(),
    bot: z.boolean().describe('Whether all events of the visitor came from bots.'),
    first_seen_at: moment,
    last_seen_at: moment,
    created_at: moment.describe('The same as first_seen_at.'),
    events: z.number().int(),
    pageviews: z.number().int(),
    sessions: z.number().int(),
    device: maybe,
    browser: maybe,
    os: maybe,
    country: maybe,
    locale: maybe,
    timezone: maybe,
    first_touch: Touch.nullable(),
    last_touch: Touch.nullable(),
    conflicts: z
      .array(z.object({ contact_id: z.string(), at: moment, event_id: z.string() }))
      .describe('Events that named a different contact; they count for that contact, and the visitor keeps its first one.'),
  })
  .meta({ id: 'Visitor' });

export function viewOf(visitor: Visitor): z.input<typeof VisitorView> {
  const { id, visitor_id, contact_id, identified, bot, events, pageviews, sessions, device, browser, os, country, locale, timezone } =
    visitor;
  return {
    ...{ id, visitor_id, contact_id, identified, bot, events, pageviews, sessions, device, browser, os, country, locale, timezone },
    first_seen_at: visitor.first_seen_at.toISOString(),
    last_seen_at: visitor.last_seen_at.toISOString(),
    created_at: visitor.first_seen_at.toISOString(),
    first_touch: touchView(visitor.first_touch),
    last_touch: touchView(visitor.last_touch),
    conflicts: visitor.conflicts.map(({ contact_id: other, at, event_id }) => ({ contact_id: other, at: at.toISOString(), event_id })),
  };
}

const touchView = (touch: VisitorTouch | null) => touch && { ...touch, at: touch.at.toISOString() };
