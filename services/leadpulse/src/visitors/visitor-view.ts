import { contactId, visitorId } from '@mp/contracts/ids';
import { renamedFrom } from '@mp/contracts/renamed-from';
import { includedContact } from '@mp/service-kit/include-contacts';
import { z } from 'zod';
import type { Visitor, VisitorTouch } from './visitor.ts';

const moment = z.iso.datetime();
const maybe = z.string().nullable();

const Touch = z
  .object({
    at: moment.describe('When the session started.'),
    page: maybe.describe('The first page of that session.'),
    channel: z.string().describe('The channel, such as `organic_search`.'),
    source: z.string().describe('The source, such as a host or `direct`.'),
    referrer: maybe.describe('The host of the referring page.'),
    utm_source: maybe.describe('The `utm_source` of the link.'),
    utm_medium: maybe.describe('The `utm_medium` of the link.'),
    utm_campaign: maybe.describe('The `utm_campaign` of the link.'),
  })
  .meta({ id: 'VisitorTouch' });

/** A visitor as the API returns it. */
export const VisitorView = z
  .object({
    id: visitorId.describe('Opaque; starts with `visitor_`.'),
    visitor_id: maybe.describe('Your anonymous ID; null if no event of the visitor had one.'),
    contact_id: contactId.nullable().describe('The contact of the visitor, if it is identified.'),
    contact: includedContact,
    identified: z.boolean().describe('Whether the visitor is identified as a contact.'),
    bot: z.boolean().describe('Whether all events of the visitor came from bots.'),
    first_seen_at: moment.describe('The time of the first event.'),
    last_seen_at: moment.describe('The time of the last event.'),
    created_at: moment.describe('The same as first_seen_at.'),
    events: z.number().int().describe('The number of events.'),
    pageviews: z.number().int().describe('The number of page views.'),
    sessions: z.number().int().describe('The number of sessions.'),
    device: maybe.describe('The device type in the last event.'),
    browser: maybe.describe('The browser in the last event.'),
    os: maybe.describe('The operating system in the last event.'),
    country: maybe.describe('The country in the last event.'),
    locale: maybe.describe('The locale in the last event.'),
    timezone: maybe.describe('The time zone in the last event.'),
    first_touch: Touch.nullable().describe('The source of the first session.'),
    last_touch: Touch.nullable().describe('The source of the latest session.'),
    conflicts: z
      .array(
        z.object({
          contact_id: contactId.describe('The other contact.'),
          timestamp: renamedFrom('at', moment.describe('When the event happened.')),
          event_id: z.string().describe('The ID of the event.'),
        }),
      )
      .describe('Events that named a different contact; they count for that contact, and the visitor keeps its first one.'),
  })
  .meta({ id: 'Visitor' });

export function viewOf(visitor: Visitor): z.output<typeof VisitorView> {
  const { id, visitor_id, contact_id, identified, bot, events, pageviews, sessions, device, browser, os, country, locale, timezone } =
    visitor;
  return {
    ...{ id, visitor_id, contact_id, identified, bot, events, pageviews, sessions, device, browser, os, country, locale, timezone },
    first_seen_at: visitor.first_seen_at.toISOString(),
    last_seen_at: visitor.last_seen_at.toISOString(),
    created_at: visitor.first_seen_at.toISOString(),
    first_touch: touchView(visitor.first_touch),
    last_touch: touchView(visitor.last_touch),
    conflicts: visitor.conflicts.map(({ contact_id: other, at, event_id }) => ({
      contact_id: other,
      timestamp: at.toISOString(),
      event_id,
    })),
  };
}

const touchView = (touch: VisitorTouch | null) => touch && { ...touch, at: touch.at.toISOString() };
