import type { Contact } from '@mp/contracts/contact';
import type { AccountId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { LoadContext } from './account-context.ts';
import { revise } from './contact.ts';
import { changedDraft, type SaveContacts } from './save-contacts.ts';

/** A contact's `last_seen_at` is written and published at most once an hour, not with every click. */
const intervalMs = 60 * 60_000;

/** Sets `last_seen_at` to the time of a tracked event. A late event, or one within the hour, changes nothing. */
export const createTouchLastSeen = ({ loadContext, saveContacts }: { loadContext: LoadContext; saveContacts: SaveContacts }) =>
  async function touchLastSeen(tx: Transaction, accountId: AccountId, before: Contact, at: Date) {
    const now = new Date();
    const seen = Math.min(at.getTime(), now.getTime());
    if (before.last_seen_at !== null && seen < Date.parse(before.last_seen_at) + intervalMs) return;
    const context = await loadContext(accountId, [before]);
    const { contact, changed } = revise(before, { ...before, last_seen_at: new Date(seen).toISOString() }, context, now);
    await saveContacts(tx, accountId, { context, drafts: [changedDraft(before, contact, { changed })] });
  };
