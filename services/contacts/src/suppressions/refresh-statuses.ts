import { type AccountId, type ContactId, newId } from '@mp/ids';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo, Transaction } from '@mp/service-kit/mongo';
import type { Stage } from '@mp/service-kit/reply-position';
import { createRunner, type Runner } from '@mp/service-kit/runner';
import { revise } from '../contacts/contact.ts';
import type { Addressed, AddressedBy } from '../contacts/contact-pages.ts';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { draftBytes, maxWrittenBytes } from '../contacts/draft-bytes.ts';
import { changedDraft, type Draft, type SaveContacts } from '../contacts/save-contacts.ts';
import type { StatusRefreshesStore } from './status-refreshes-store.ts';
import type { SuppressionsStore } from './suppressions-store.ts';

const chunk = 200;

type Parts = { contacts: ContactsStore; suppressions: SuppressionsStore; saveContacts: SaveContacts };

/** The contacts with these addresses, or with any address of this domain, from the one after `after`. */
type Refreshed = { kind: AddressedBy; value: Addressed; after?: ContactId | null };

export type RefreshStatuses = ReturnType<typeof createRefreshStatuses>;

/** Updates the status of the contacts with these addresses, or of a chunk of those of a domain. Returns the last id if there may be more. */
export function createRefreshStatuses({ contacts, suppressions, saveContacts }: Parts) {
  return async (tx: Transaction, accountId: AccountId, { kind, value, after = null }: Refreshed) => {
    const found = await contacts.pageByAddress(tx, accountId, { kind, value, after, limit: chunk });
    const suppressionOf = await suppressions.ofEmails(
      accountId,
      found.flatMap(({ email }) => email ?? []),
      tx,
    );
    const now = new Date();
    const drafts: Draft[] = [];
    let bytes = 0;
    let last = found.length === chunk ? found.at(-1)?.id : undefined;
    for (const before of found) {
      const { contact, changed } = revise(before, before, { suppressionOf }, now);
      if (changed.length === 0) continue;
      const draft = changedDraft(before, contact, { changed });
      drafts.push(draft);
      bytes += draftBytes(draft);
      if (bytes < maxWrittenBytes || before === found.at(-1)) continue;
      last = before.id;
      break;
    }
    // Their attributes are unchanged, so there is nothing to declare.
    await saveContacts(tx, accountId, { context: { learn: () => undefined, undeclared: () => new Map() }, drafts });
    return last;
  };
}

/** For positions: reached when all suppression changes up to the mark have updated the contacts they affect. */
export const statusesRefreshed = (refreshes: StatusRefreshesStore): Stage => ({
  mark: async ({ account_id }) => (await refreshes.newestUnfinished(account_id)) ?? '',
  reached: async ({ account_id }, mark) => mark === '' || (await refreshes.newestUnfinished(account_id, mark)) === undefined,
});

/** Updates statuses in the background: for whole domains, and for contacts written at the same moment as a suppression. */
export function createStatusRefresher({
  mongo,
  logger,
  refreshes,
  refreshStatuses,
}: {
  mongo: Mongo;
  logger: Logger;
  refreshes: StatusRefreshesStore;
  refreshStatuses: RefreshStatuses;
}): Runner {
  return createRunner({
    logger,
    warning: 'updating the status of suppressed contacts failed; retrying',
    backoffMs: { first: 100, max: 5_000 },
    async work() {
      const refresh = await refreshes.claim();
      if (!refresh) return false;
      const { id, accountId, kind, value, after, startsWorkflows } = refresh;
      const last = await mongo.transaction({ correlationId: newId('request'), causationId: null, startsWorkflows }, (tx) =>
        refreshStatuses(tx, accountId, { kind, value, after }),
      );
      await (last === undefined ? refreshes.finishRound(id) : refreshes.advance(id, last));
      return true;
    },
  });
}
