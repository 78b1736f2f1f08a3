import type { AccountId, ContactId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { LoadContext } from './account-context.ts';
import { revise } from './contact.ts';
import type { ContactsStore, LastSeen } from './contacts-store.ts';
import { changedDraft, type SaveContacts } from './save-contacts.ts';

/** A contact and the time of one of its tracked events. */
type Seen = LastSeen & { accountId: AccountId; at: Date };

export type TouchLastSeen = ReturnType<typeof createTouchLastSeen>;

type Deps = { contacts: Pick<ContactsStore, 'findMany'>; loadContext: LoadContext; saveContacts: SaveContacts };

/** A contact's `last_seen_at` is written and published at most once an hour, not with every click. */
const intervalMs = 60 * 60_000;

/** Sets `last_seen_at` to the time of a tracked event. A late event, or one within the hour, changes nothing. */
export const createTouchLastSeen = ({ contacts, loadContext, saveContacts }: Deps) =>
  async function touchLastSeen(tx: Transaction, seen: readonly Seen[]) {
    const now = new Date();
    for (const [accountId, own] of Map.groupBy(seen, ({ accountId }) => accountId)) {
      const due = dueOf(own, now);
      if (due.size === 0) continue;
      const found = await contacts.findMany(accountId, [...due.keys()], tx);
      const context = await loadContext(accountId, found);
      const drafts = found.map((before) => {
        const last_seen_at = due.get(before.id)?.toISOString() ?? before.last_seen_at;
        const { contact, changed } = revise(before, { ...before, last_seen_at }, context, now);
        return changedDraft(before, contact, { changed });
      });
      await saveContacts(tx, accountId, { context, drafts });
    }
  };

/** The contacts whose hour is over, each once: a contact and one that was merged into it may be seen together. */
function dueOf(seen: readonly Seen[], now: Date): Map<ContactId, Date> {
  const due = new Map<ContactId, Date>();
  for (const { contactId, lastSeenAt, at } of seen) {
    const last = due.get(contactId) ?? lastSeenAt;
    const time = Math.min(at.getTime(), now.getTime());
    if (last === null || time >= last.getTime() + intervalMs) due.set(contactId, new Date(time));
  }
  return due;
}
