import type { AccountId, ContactId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Event } from '../events/event.ts';
import type { IdentitiesStore } from './identities-store.ts';

/**
 * Events as they are published: those of a merged contact count as events of the survivor. Stored events keep their
 * contact, so that undoing the merge gives it its visitors back.
 */
export async function survivorsOf(
  tx: Transaction,
  { identities }: { identities: IdentitiesStore },
  accountId: AccountId,
  events: readonly Event[],
): Promise<(event: Event) => Event> {
  const contactIds = [...new Set(events.flatMap(({ contact_id }) => contact_id ?? []))];
  const survivors = contactIds.length > 0 ? await identities.survivors(accountId, contactIds, tx) : new Map<ContactId, ContactId>();
  return (event) => (event.contact_id === null ? event : { ...event, contact_id: survivors.get(event.contact_id) ?? event.contact_id });
}
