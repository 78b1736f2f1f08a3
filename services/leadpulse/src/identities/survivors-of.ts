import type { Transaction } from '@mp/service-kit/mongo';
import type { Event } from '../events/event.ts';
import type { IdentitiesStore } from './identities-store.ts';

/**
 * Events as others are to hear of them: what somebody did who is part of another contact since a merge, that one did. Here
 * it stays with the contact that did it, whose visitors come back to it when the merge is undone.
 */
export async function survivorsOf(
  tx: Transaction,
  { identities }: { identities: IdentitiesStore },
  accountId: string,
  events: readonly Event[],
): Promise<(event: Event) => Event> {
  const contactIds = [...new Set(events.flatMap(({ contact_id }) => contact_id ?? []))];
  const survivors = contactIds.length > 0 ? await identities.survivors(accountId, contactIds, tx) : new Map<string, string>();
  return (event) => (event.contact_id === null ? event : { ...event, contact_id: survivors.get(event.contact_id) ?? event.contact_id });
}
