import type { Event } from '../events/event.ts';
import { sumOf } from '../events/money.ts';
import { type Touch, touchOf } from './channels.ts';

/** A position in a visitor's history. Events of the same millisecond are ordered by message ID. */
type Place = { at: Date; message_id: string };

/** The summary of a session. Adjoining sessions merge into one, with the same result in any order of events. */
export type Session = {
  /** Events from bots form separate sessions. */
  bot: boolean;
  first: Place;
  last: Place;
  events: number;
  pageviews: number;
  /** The number of events that show an action: all except built-in ones, such as page views. */
  actions: number;
  /** Ten-thousandths by currency. */
  values: Record<string, number>;
  entry: (Place & { path: string | null }) | null;
  exit: (Place & { path: string | null }) | null;
  /** The first event that shows where the visitor came from: one with a page or a campaign. */
  arrival: Place | null;
  /** The source of the arrival. */
  touch: Touch;
  device: string | null;
  browser: string | null;
  os: string | null;
  country: string | null;
};

export const isPageview = ({ name }: Pick<Event, 'name'>) => name === '$pageview';

/** A session of a single event. */
export function sessionOf(event: Event): Session {
  const place: Place = { at: event.time, message_id: event.message_id };
  const view = isPageview(event) ? { ...place, path: event.page?.path ?? null } : null;
  return {
    bot: event.bot,
    first: place,
    last: place,
    events: 1,
    pageviews: view ? 1 : 0,
    actions: event.name.startsWith('$') ? 0 : 1,
    values: event.value ? { [event.value.currency]: event.value.units } : {},
    entry: view,
    exit: view,
    arrival: event.page || event.utm ? place : null,
    touch: touchOf(event),
    device: event.device,
    browser: event.browser,
    os: event.os,
    country: event.country,
  };
}

export const before = (a: Place, b: Place) =>
  a.at.getTime() - b.at.getTime() || (a.message_id < b.message_id ? -1 : a.message_id > b.message_id ? 1 : 0);

const earlier = <P extends Place>(a: P | null, b: P | null) => (a && (!b || before(a, b) <= 0) ? a : b);
const later = <P extends Place>(a: P | null, b: P | null) => (a && (!b || before(a, b) > 0) ? a : b);

/** Merges two parts of one session. */
function joined(a: Session, b: Session): Session {
  const opening = before(a.first, b.first) <= 0 ? a : b;
  const arrival = earlier(a.arrival, b.arrival);
  return {
    ...opening,
    arrival,
    touch: (arrival && arrival === b.arrival ? b : a).touch,
    last: later(a.last, b.last) ?? a.last,
    events: a.events + b.events,
    pageviews: a.pageviews + b.pageviews,
    actions: a.actions + b.actions,
    values: sumOf(a.values, b.values),
    entry: earlier(a.entry, b.entry),
    exit: later(a.exit, b.exit),
  };
}

export type StoredSession = Session & { id: string };

/**
 * `before` are the stored sessions it was made from, oldest first: none for a new session, several if an event closed the
 * gap between them.
 */
export type Folded = { session: Session; before: StoredSession[] };

/**
 * Folds new events into the sessions around them. Events only extend and merge sessions, so the stored summaries suffice
 * without reading events again, and any order of arrival results in the same sessions. A session ends after `idleMs` without an event.
 */
export function foldSessions(stored: readonly StoredSession[], events: readonly Event[], idleMs: number): Folded[] {
  const pieces: Folded[] = [
    ...stored.map((session) => ({ session, before: [session] })),
    ...events.map((event) => ({ session: sessionOf(event), before: [] })),
  ].sort((a, b) => before(a.session.first, b.session.first));
  const folded: Folded[] = [];
  for (const piece of pieces) {
    const open = folded.at(-1);
    if (open && piece.session.first.at.getTime() - open.session.last.at.getTime() < idleMs) {
      open.session = joined(open.session, piece.session);
      open.before.push(...piece.before);
    } else folded.push({ session: piece.session, before: [...piece.before] });
  }
  return folded.filter(({ session, before: [one, ...more] }) => one === undefined || more.length > 0 || session.events !== one.events);
}

export const durationMs = ({ first, last }: Session) => last.at.getTime() - first.at.getTime();

/** At most one page view and no action. */
export const isBounce = ({ pageviews, actions }: Session) => pageviews <= 1 && actions === 0;
