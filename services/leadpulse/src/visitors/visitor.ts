import { type AccountId, type ContactId, newId, type VisitorId } from '@mp/ids';
import type { Event } from '../events/event.ts';
import type { Touch } from '../sessions/channels.ts';
import { before, isPageview, type StoredSession } from '../sessions/session.ts';

/** The source of a visitor's session, with its start time and entry page. */
export type VisitorTouch = Touch & { at: Date; page: string | null };

/** An event that named a different contact than the visitor's, which keeps its first one. */
export type Conflict = { contact_id: ContactId; at: Date; event_id: string };

/** A browser or device with an anonymous ID, or a contact whose events never had one. */
export type Visitor = {
  id: VisitorId;
  account_id: AccountId;
  key: string;
  visitor_id: string | null;
  /** The claims of its events, oldest first. A claim may resolve to a contact later. */
  claims: string[];
  contact_id: ContactId | null;
  identified: boolean;
  conflicts: Conflict[];
  /** Whether all its events came from bots. */
  bot: boolean;
  first_seen_at: Date;
  last_seen_at: Date;
  events: number;
  human_events: number;
  pageviews: number;
  sessions: number;
  event_names: string[];
  first: { at: Date; message_id: string };
  last: { at: Date; message_id: string };
  device: string | null;
  browser: string | null;
  os: string | null;
  country: string | null;
  locale: string | null;
  timezone: string | null;
  /** The session that ended last; its touch is the last touch. Rows of earlier versions lack the message ID. */
  latest_session: { id: string; ended_at: Date; message_id?: string } | null;
  first_touch: VisitorTouch | null;
  last_touch: VisitorTouch | null;
};

/** The event names stored for the `event` filter of the list. Of a visitor with so many, its events show which others it has. */
export const maxEventNames = 200;
export const maxClaims = 20;
export const maxConflicts = 20;

/** A visitor created from its first event, with nothing counted yet. */
export const newVisitor = (event: Event): Visitor => ({
  id: newId('visitor'),
  account_id: event.account_id,
  key: event.visitor_key,
  visitor_id: event.visitor_id,
  claims: [],
  contact_id: null,
  identified: false,
  conflicts: [],
  bot: true,
  first_seen_at: event.time,
  last_seen_at: event.time,
  events: 0,
  human_events: 0,
  pageviews: 0,
  sessions: 0,
  event_names: [],
  first: { at: event.time, message_id: event.message_id },
  last: { at: event.time, message_id: event.message_id },
  device: null,
  browser: null,
  os: null,
  country: null,
  locale: null,
  timezone: null,
  latest_session: null,
  first_touch: null,
  last_touch: null,
});

/** Adds an event to the visitor. The result does not depend on the order of events. */
export function withEvent(visitor: Visitor, event: Event): Visitor {
  const place = { at: event.time, message_id: event.message_id };
  const isFirst = before(place, visitor.first) <= 0;
  const isLast = before(place, visitor.last) >= 0;
  const humanEvents = visitor.human_events + (event.bot ? 0 : 1);
  const isNewName = !visitor.event_names.includes(event.name) && visitor.event_names.length < maxEventNames;
  return {
    ...visitor,
    events: visitor.events + 1,
    human_events: humanEvents,
    bot: humanEvents === 0,
    pageviews: visitor.pageviews + (isPageview(event) ? 1 : 0),
    event_names: isNewName ? [...visitor.event_names, event.name] : visitor.event_names,
    ...(isFirst && { first: place, first_seen_at: event.time }),
    ...(isLast && {
      last: place,
      last_seen_at: event.time,
      device: event.device,
      browser: event.browser,
      os: event.os,
      country: event.country,
      locale: event.context.locale,
      timezone: event.context.timezone,
    }),
  };
}

/** Updates the visitor after its sessions changed: `written` are the changed sessions, `added` the change in their number. */
export function withSessions(visitor: Visitor, written: readonly StoredSession[], added: number): Visitor {
  const [first] = written.filter((session) => before(session.first, visitor.first) === 0);
  const latest = written.reduce<StoredSession | undefined>(
    (found, session) => (!found || before(session.last, found.last) > 0 ? session : found),
    undefined,
  );
  const known = visitor.latest_session;
  const isLatest = latest && (!known || before(latest.last, { at: known.ended_at, message_id: known.message_id ?? '' }) >= 0);
  return {
    ...visitor,
    sessions: visitor.sessions + added,
    ...(first && { first_touch: touchOf(first) }),
    ...(isLatest && {
      last_touch: touchOf(latest),
      latest_session: { id: latest.id, ended_at: latest.last.at, message_id: latest.last.message_id },
    }),
  };
}

/** Adds an event's claims to the visitor; `contact` is the contact they resolve to, null if there is none yet. */
export function withClaims(visitor: Visitor, event: Event, contact: ContactId | null): Visitor {
  const known = event.claims.filter((claim) => !visitor.claims.includes(claim));
  const named = known.length > 0 ? { ...visitor, claims: [...visitor.claims, ...known].slice(0, maxClaims) } : visitor;
  if (contact === null || visitor.contact_id === contact) return named;
  if (visitor.contact_id === null) return { ...named, contact_id: contact, identified: true };
  if (visitor.conflicts.length >= maxConflicts || visitor.conflicts.some(({ contact_id }) => contact_id === contact)) return named;
  return { ...named, conflicts: [...visitor.conflicts, { contact_id: contact, at: event.time, event_id: event.id }] };
}

const touchOf = ({ touch, first, entry }: StoredSession): VisitorTouch => ({ ...touch, at: first.at, page: entry?.path ?? null });
