import { trustedId, type VisitorId } from '@mp/ids';
import type { Event } from './event.ts';
import type { PropertyValue } from './properties.ts';

export type EventDocument = Omit<Event, 'id' | 'properties'> & {
  _id: string;
  /** Pairs, because keys may contain dots and dollar signs. */
  properties: { k: string; v: PropertyValue }[];
  /** Present until the event is counted; the collection is its own queue. */
  pending?: true;
  /** The request and index of an event sent with an Idempotency-Key, so that a repeated request recognises its own events. */
  call?: string;
  /** The ID of the visitor, once counted. */
  visitor: VisitorId | null;
  attempts?: number;
  /** Written by an earlier version, which stored only one claim. */
  claim?: string | null;
  /** Why the event was set aside, after counting it failed repeatedly. */
  parked?: string;
};

export type NewEvent = { event: Event; call?: string };

/** Events have a visitor once they are counted. */
export const isCounted = { $gt: trustedId<'visitor'>('') };

export function documentOf({ event: { id, properties, ...members }, call }: NewEvent): EventDocument {
  return {
    _id: id,
    ...members,
    properties: Object.entries(properties).map(([k, v]) => ({ k, v })),
    visitor: null,
    pending: true,
    ...(call === undefined ? {} : { call }),
  };
}

export function eventOf({ _id, properties, pending, call, visitor, attempts, parked, claim, ...members }: EventDocument): Event {
  const claims = members.claims ?? (claim ? [claim] : []);
  return { id: _id, ...members, claims, properties: Object.fromEntries(properties.map(({ k, v }) => [k, v])) };
}
