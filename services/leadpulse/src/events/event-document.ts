import { type FormId, trustedId, type VisitorId } from '@mp/ids';
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
  /** The form by which its person came, once the person is deleted and the event names it no more. */
  form_id?: FormId;
  attempts?: number;
  /** Contacts has been told of its person, and has not confirmed it. */
  applying?: true;
  /** Written by an earlier version, which stored only one claim. */
  claim?: string | null;
  /** Why the event was set aside, after counting it failed repeatedly. */
  parked?: string;
};

export type NewEvent = { event: Event; call?: string };

/** Events have a visitor once they are counted. */
export const countedVisitor = { $gt: trustedId<'visitor'>('') };

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

/** Names each member, because copying the rest of an object costs more than reading its row. */
export function eventOf(row: EventDocument): Event {
  const { _id: id, account_id, message_id, name, time, received_at, backfill, bot, visitor_key, visitor_id, contact_id } = row;
  const { page, utm, device, browser, os, country, context, value, person } = row;
  const properties = Object.fromEntries(row.properties.map(({ k, v }) => [k, v]));
  const claims = row.claims ?? (row.claim ? [row.claim] : []);
  return {
    ...{ id, account_id, message_id, name, time, received_at, backfill, bot, visitor_key, visitor_id, claims, contact_id, properties },
    ...{ page, utm, device, browser, os, country, context, value },
    ...(person && { person }),
  };
}
