import type { Event } from '../events/event.ts';
import { type Touch, touchOf } from './channels.ts';

/** A moment in a visitor's history; events of the same millisecond are in the order of their message ids. */
type Place = { at: Date; message_id: string };

/** What a session is made of. Two of them that belong together make one, in whatever order their events came. */
export type Session = {
  /** Events of machines make sessions of their own. */
  bot: boolean;
  first: Place;
  last: Place;
  events: number;
  pageviews: number;
  /** Events that say that somebody did something: all but page views and our own. */
  actions: number;
  /** Ten-thousandths by currency. */
  values: Record<string, number>;
  entry: (Place & { path: string | null }) | null;
  exit: (Place & { path: string | null }) | null;
  /** The first event that says where the visitor came from: one with a page or a campaign. */
  arrival: Place | null;
  /** Of the arrival. */
  touch: Touch;
  device: string | null;
  browser: string | null;
  os: string | null;
  country: string | null;
};

/** A session ends when nothing was heard for this long. */
export const idleMs = 30 * 60 * 1_000;

export const isPageview = ({ name }: Pick<Event, 'name'>) => name === '$pageview';

/** The session of one event alone. */
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

/** The session that both are part of. */
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

export function sumOf(a: Record<string, number>, b: Record<string, number>): Record<string, number> {
  const sum = { ...a };
  for (const [currency, units] of Object.entries(b)) sum[currency] = (sum[currency] ?? 0) + units;
  return sum;
}

export type StoredSession = Session & { id: string };

/** `before` are the stored sessions that went into it, oldest first: none for a new one, several when an event closed the gap between them. */
export type Folded = { session: Session; before: StoredSession[] };

/**
 * Folds new events into the sessions around them. Events only ever join sessions, so the stored summaries are enough:
 * nothing is read again, and any order of arrival ends in the sessions of the sorted events.
 */
export function foldSessions(stored: readonly StoredSession[], events: readonly Event[]): Folded[] {
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

/** One page at most, and nothing done on it. */
export const isBounce = ({ pageviews, actions }: Session) => pageviews <= 1 && actions === 0;
