import { type AccountId, type ContactId, trustedId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Collection } from 'mongodb';
import { type ContactRow, contactClaim, type IdentityRow, type IdentityRows } from './identity-rows.ts';

/** The longest chain of merges that is followed. */
const maxMerges = 100;
const maxMergedContacts = 1_000;

/** Reads which contacts were merged into which, from the rows of the merged ones. */
export function createMergedContacts(identities: Collection<IdentityRow>, rows: IdentityRows) {
  /** Each of these contacts with those that were merged into it, directly or through others. */
  async function mergedInto(accountId: AccountId, survivors: readonly ContactId[]): Promise<Map<ContactId, ContactId[]>> {
    const survivorOf = new Map(survivors.map((id) => [id, id]));
    for (let open = [...survivors], round = 0; open.length > 0 && round < maxMerges; round += 1) {
      const merged = await identities
        .find({ account_id: accountId, merged_into: { $in: open }, deleted: true })
        .limit(maxMergedContacts * survivors.length)
        .toArray();
      open = merged.flatMap(({ contact_id, merged_into }) => {
        const survivor = merged_into && survivorOf.get(merged_into);
        if (contact_id === undefined || survivor === undefined || survivorOf.has(contact_id)) return [];
        survivorOf.set(contact_id, survivor);
        return [contact_id];
      });
    }
    const found = new Map<ContactId, ContactId[]>(survivors.map((id) => [id, []]));
    for (const [id, survivor] of survivorOf) found.get(survivor)?.push(id);
    return found;
  }

  return {
    /** Maps merged contacts to their survivors, following chains of merges. Other contacts are not in the map. */
    async survivors(accountId: AccountId, contactIds: readonly ContactId[], tx?: Transaction): Promise<Map<ContactId, ContactId>> {
      const found = new Map<ContactId, ContactId>();
      let open = new Map(contactIds.map((id) => [id, [id]]));
      for (let round = 0; open.size > 0 && round < maxMerges; round += 1) {
        const next = new Map<ContactId, ContactId[]>();
        for (const { contact_id, deleted, merged_into } of await rows.of(accountId, [...open.keys()].map(contactClaim), tx)) {
          if (!deleted || merged_into === undefined) continue;
          const parts = open.get(contact_id) ?? [];
          for (const id of parts) found.set(id, merged_into);
          next.set(merged_into, [...(next.get(merged_into) ?? []), ...parts]);
        }
        open = next;
      }
      return found;
    },

    /** Maps the merged contacts of an account to their survivors, following chains of merges; at most `limit` merges. */
    async merges(accountId: AccountId, limit: number): Promise<Map<ContactId, ContactId>> {
      const merged = await identities
        .find({ account_id: accountId, merged_into: { $gt: trustedId<'contact'>('') }, deleted: true })
        .project<Required<Pick<ContactRow, 'contact_id' | 'merged_into'>>>({ contact_id: 1, merged_into: 1 })
        .hint('merged')
        .limit(limit)
        .toArray();
      const next = new Map(merged.map(({ contact_id, merged_into }) => [contact_id, merged_into]));
      const last = (id: ContactId, round = 0): ContactId => {
        const into = round < maxMerges ? next.get(id) : undefined;
        return into === undefined ? id : last(into, round + 1);
      };
      return new Map([...next.keys()].map((id) => [id, last(id)]));
    },

    /** A contact and those that were merged into it, directly or through others. */
    async withMerged(accountId: AccountId, contactId: ContactId): Promise<ContactId[]> {
      return (await mergedInto(accountId, [contactId])).get(contactId) ?? [contactId];
    },

    mergedInto,
  };
}
