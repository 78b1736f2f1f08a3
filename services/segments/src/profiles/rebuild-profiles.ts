import type { Contact } from '@mp/contracts/contact';
import { AccountsWithContacts, ContactsPage } from '@mp/contracts/requests/contacts';
import { findContacts } from '@mp/contracts/requests/find-contacts';
import { type AccountId, type ContactId, newId } from '@mp/ids';
import { backoff, pause } from '@mp/service-kit/backoff';
import type { Broker } from '@mp/service-kit/broker';
import type { Mongo } from '@mp/service-kit/mongo';
import type { MembershipsStore } from '../memberships/memberships-store.ts';
import type { SegmentsStore } from '../segments/segments-store.ts';
import type { ApplyContact } from './apply-contact.ts';
import type { ProfilesStore } from './profiles-store.ts';

type Parts = {
  broker: Pick<Broker, 'request'>;
  mongo: Mongo;
  segments: SegmentsStore;
  profiles: ProfilesStore;
  memberships: MembershipsStore;
  contacts: ApplyContact;
};

export type Rebuilt = { accounts: number; contacts: number; removed: number };

const pageSize = 200;
const maxAttempts = 10;
const inParallel = 16;

/**
 * Rebuilds the profiles from the contacts service while events keep arriving: each contact is applied like an event with its
 * revision, and a contact that no longer exists is removed like a deleted one. Safe to run at any time, any number of times,
 * and again after it was aborted.
 */
export function createRebuild({ broker, mongo, segments, profiles, memberships, contacts }: Parts) {
  const origin = () => ({ correlationId: newId('request'), causationId: null });

  async function removeUnknown(
    accountId: AccountId,
    from: ContactId | null,
    upTo: ContactId | null,
    page: readonly Contact[],
  ): Promise<number> {
    const present = new Set(page.map(({ id }) => id));
    const ours = new Set([
      ...(await profiles.idsBetween(accountId, from, upTo)),
      ...(await memberships.contactsInside(accountId, from, upTo)),
    ]);
    const missing = [...ours].filter((id) => !present.has(id));
    // A contact may have been created since the page was read.
    const existing = new Set<ContactId>();
    const mergedInto = new Map<ContactId, ContactId>();
    await findContacts(
      (type, request) => withRetries(() => broker.request(type, request)),
      { account_id: accountId, ids: missing },
      (found, merged) => {
        for (const { id } of found) existing.add(id);
        for (const { id, into } of merged) mergedInto.set(id, into);
      },
    );
    const gone = missing.filter((id) => !existing.has(id));
    await forEach(gone, async (id) => {
      const revision = ((await profiles.findOne(accountId, id))?.revision ?? 0) + 1;
      await withRetries(() =>
        mongo.transaction(origin(), (tx) =>
          contacts.applyDeletion(tx, accountId, { contactId: id, revision, mergedInto: mergedInto.get(id) }),
        ),
      );
    });
    return gone.length;
  }

  async function rebuildAccount(accountId: AccountId, rebuilt: Rebuilt) {
    for (let after: ContactId | null = null; ; ) {
      const page: { contacts: Contact[]; next: ContactId | null } = await withRetries(() =>
        broker.request(ContactsPage, { account_id: accountId, after, limit: pageSize }),
      );
      if (page.contacts.length > 0)
        await withRetries(() => mongo.transaction(origin(), (tx) => contacts.apply(tx, accountId, page.contacts)));
      rebuilt.contacts += page.contacts.length;
      rebuilt.removed += await removeUnknown(accountId, after, page.next, page.contacts);
      if (page.next === null) return;
      after = page.next;
    }
  }

  /** Accounts that have contacts, and those that have segments, because an account may have lost all its contacts. */
  async function accountIds(): Promise<Set<AccountId>> {
    const ids = new Set(await segments.accountIds());
    for (let after: AccountId | null = null; ; ) {
      const page: { account_ids: AccountId[]; next: AccountId | null } = await withRetries(() =>
        broker.request(AccountsWithContacts, { after }),
      );
      for (const id of page.account_ids) ids.add(id);
      if (page.next === null) return ids;
      after = page.next;
    }
  }

  return async function rebuild(report: (rebuilt: Rebuilt) => void = () => undefined): Promise<Rebuilt> {
    const rebuilt: Rebuilt = { accounts: 0, contacts: 0, removed: 0 };
    for (const accountId of await accountIds()) {
      await rebuildAccount(accountId, rebuilt);
      rebuilt.accounts += 1;
      report(rebuilt);
    }
    return rebuilt;
  };
}

async function forEach<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: inParallel }, worker));
}

/** Retries for a while, because the contacts service may be restarting, or others change the same contacts. */
async function withRetries<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= maxAttempts) throw error;
      await pause(backoff(attempt, 200, 5_000));
    }
  }
}
