import type { ContactId } from '@mp/ids';
import type { Event } from '../events/event.ts';

/**
 * Events as they are published: those of a merged contact count as events of the survivor. Stored events keep their contact,
 * so that undoing the merge gives it its visitors and events back.
 */
export const asSurvivors =
  (survivors: ReadonlyMap<ContactId, ContactId>) =>
  (event: Event): Event =>
    event.contact_id === null ? event : { ...event, contact_id: survivors.get(event.contact_id) ?? event.contact_id };
