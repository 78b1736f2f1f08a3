import { suppressionHash } from '@mp/contracts/contact';
import type { AccountId, ContactId } from '@mp/ids';
import type { ContactsStore } from '../contacts/contacts-store.ts';

export type ContactsByAddress = Awaited<ReturnType<typeof createContactsByAddress>>;

type Named = { account_id: AccountId; address_hash?: string | undefined; hash?: string };

/** Finds the contacts whose addresses the entries name by hash only. Reads every address of the accounts concerned, once. */
export async function createContactsByAddress(contacts: Pick<ContactsStore, 'addresses'>, entries: readonly Named[]) {
  const wanted = new Map<AccountId, Set<string>>();
  for (const { account_id, address_hash, hash = address_hash } of entries) {
    if (hash === undefined) continue;
    wanted.set(account_id, (wanted.get(account_id) ?? new Set()).add(hash));
  }
  const found = new Map<string, ContactId>();
  for (const [accountId, hashes] of wanted) {
    for await (const { _id, email_key } of contacts.addresses(accountId)) {
      const hash = email_key && suppressionHash(accountId, 'email', email_key);
      if (hash && hashes.has(hash)) found.set(`${accountId} ${hash}`, _id);
    }
  }
  return { idOf: (accountId: AccountId, hash: string) => found.get(`${accountId} ${hash}`) };
}
