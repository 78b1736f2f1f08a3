import { z } from 'zod';
import type { PropertyValue } from '../events/properties.ts';
import type { ReportEvent } from '../events/report-events.ts';
import type { StoredSession } from '../sessions/session.ts';
import { dimensionValue, EventDimension } from './dimension.ts';

/** An event with its session. */
export type SessionEvent = { event: ReportEvent; session: StoredSession | undefined };

/** The dimensions of the session in which an event happened. */
const ofSession = {
  channel: ({ touch }) => touch.channel,
  source: ({ touch }) => touch.source,
  referrer: ({ touch }) => touch.referrer,
  entry_page: ({ entry }) => entry?.path ?? null,
  exit_page: ({ exit }) => exit?.path ?? null,
} as const satisfies Record<string, (session: StoredSession) => string | null>;

type SessionDimension = keyof typeof ofSession;
export const isOfSession = (name: string): name is SessionDimension => Object.hasOwn(ofSession, name);

export const QueryDimension = z.union(
  [z.enum(Object.keys(ofSession).filter(isOfSession)).meta({ title: 'Dimension of the session' }), EventDimension],
  `expected ${Object.keys(ofSession).join(', ')}, a dimension of the event such as page or country, or properties.<name>`,
);

/** The value of a dimension, as text; null if there is none. */
export function sessionEventValue(dimension: string): (sessionEvent: SessionEvent) => string | null {
  if (isOfSession(dimension)) return ({ session }) => (session ? ofSession[dimension](session) : null);
  const read = dimensionValue(dimension);
  return ({ event }) => read(event);
}

const prefix = 'properties.';

/** The value of a dimension as it was sent: properties may be numbers or true or false. */
export function rawValue(dimension: string): (sessionEvent: SessionEvent) => PropertyValue | undefined {
  if (!dimension.startsWith(prefix)) return sessionEventValue(dimension);
  const name = dimension.slice(prefix.length);
  return ({ event: { properties } }) => (Object.hasOwn(properties, name) ? properties[name] : undefined);
}
