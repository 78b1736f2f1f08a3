import { domainKey, emailKey } from '@mp/contracts/contact';
import type { JournalEntry, JournalOf } from '@mp/contracts/journal';
import type { ContactId } from '@mp/ids';
import type { Mongo } from '@mp/service-kit/mongo';
import { type ConsentsBody, consentsOfTopic } from '../consent/consent.ts';
import type { LoadContext } from '../contacts/account-context.ts';
import { changeContact } from '../contacts/contact.ts';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { changedDraft, hasNews, type SaveContacts } from '../contacts/save-contacts.ts';
import type { DeletedContactsStore } from '../deletions/deleted-contacts-store.ts';
import type { Erase } from '../erasures/erase.ts';
import type { ErasuresStore } from '../erasures/erasures-store.ts';
import type { Suppress } from '../suppressions/suppress.ts';
import type { SuppressionsStore } from '../suppressions/suppressions-store.ts';
import { type ContactsByAddress, createContactsByAddress } from './contacts-by-address.ts';

type Deps = {
  mongo: Mongo;
  contacts: ContactsStore;
  deleted: DeletedContactsStore;
  erasures: ErasuresStore;
  suppressions: SuppressionsStore;
  suppress: Suppress;
  erase: Erase;
  loadContext: LoadContext;
  saveContacts: SaveContacts;
};

const origin = { correlationId: 'apply-journal', causationId: null };

/**
 * Applies to a restored backup what was erased, withdrawn and suppressed since it was taken. The last entry of each consent
 * and each suppression counts, and only restrictions are written; consent given after the entry is kept. The same journal
 * can therefore be applied again at any time.
 */
export function createApplyJournal({ mongo, contacts, deleted, erasures, suppressions, suppress, erase, loadContext, saveContacts }: Deps) {
  /** Erases every contact the entry names: they may not have been merged yet in the backup. Returns how many were erased. */
  async function eraseAgain({ account_id, erasure_id, contact_ids }: JournalOf<'erasure'>): Promise<number> {
    let erased = 0;
    for (const contactId of contact_ids) {
      erased += await mongo.transaction(origin, async (tx) => {
        const contact = (await contacts.findOne(account_id, contactId, tx)) ?? (await deleted.find(account_id, contactId, tx))?.contact;
        if (contact?.id !== contactId) return 0;
        const id = (await erasures.known([erasure_id])).has(erasure_id) || erased > 0 ? {} : { id: erasure_id };
        await erase(tx, account_id, contact, id);
        return 1;
      });
    }
    return erased;
  }

  /** Applies the restriction of the entry to the contact, unless the contact gave consent later. Returns 1 if it changed. */
  const restrict = ({ account_id, channel, topic, status, method, given_at, at }: JournalOf<'consent'>, contactId: ContactId) =>
    mongo.transaction(origin, async (tx) => {
      const before = await contacts.findOne(account_id, contactId, tx);
      if (!before) return 0;
      const known = (topic === null ? before.consent : consentsOfTopic(before.consent, topic))[channel];
      if (status === 'subscribed' || (known && known.at > at) || (known?.status === 'unsubscribed' && status !== 'unsubscribed')) return 0;
      const said = status && { status, method: method ?? undefined, at: given_at, evidence: { source: 'journal of a restored backup' } };
      const consent: ConsentsBody = topic === null ? { [channel]: said } : { topics: { [topic]: { [channel]: said } } };
      const context = await loadContext(account_id, [before]);
      const { contact, changed } = changeContact(before, { consent }, context);
      const draft = changedDraft(before, contact, { changed, body: consent });
      if (!hasNews(draft)) return 0;
      await saveContacts(tx, account_id, { context, drafts: [draft] });
      return 1;
    });

  /** If the backup does not have the contact, the withdrawal applies to its address. */
  async function withdraw(entry: JournalOf<'consent'>, byAddress: ContactsByAddress): Promise<number> {
    const { account_id, contact_id, channel, topic, status, at, address_hash } = entry;
    if (await contacts.findOne(account_id, contact_id)) return restrict(entry, contact_id);
    if (channel !== 'email' || topic !== null || status !== 'unsubscribed' || address_hash === undefined) return 0;
    const ownerId = byAddress.idOf(account_id, address_hash);
    const other = ownerId && (await contacts.findOne(account_id, ownerId));
    if (other) return other.created_at > at ? 0 : restrict(entry, other.id);
    const { isNew } = await mongo.transaction(origin, (tx) =>
      suppressions.addHash(tx, account_id, { hash: address_hash, reason: 'manual' }),
    );
    return Number(isNew);
  }

  function suppressAgain(
    { account_id, of, domain, hash, reason }: JournalOf<'suppression'>,
    byAddress: ContactsByAddress,
  ): Promise<number> {
    return mongo.transaction(origin, async (tx) => {
      const ownerId = of === 'email' ? byAddress.idOf(account_id, hash) : undefined;
      const email = ownerId && (await contacts.findOne(account_id, ownerId, tx))?.email;
      const value = of === 'domain' ? domain && domainKey(domain) : email && emailKey(email);
      const { isNew } = value
        ? await suppress.add(tx, account_id, { kind: of, value, reason, note: null })
        : await suppressions.addHash(tx, account_id, { hash, reason });
      return Number(isNew);
    });
  }

  return async (journal: AsyncIterable<JournalEntry>) => {
    const { erased, consents, suppressed } = await sortOut(journal);
    const done = { erased: 0, consents: 0, suppressed: 0 };
    for (const entry of erased) done.erased += await eraseAgain(entry);
    const gone = new Set(erased.flatMap(({ contact_ids }) => contact_ids));
    const last = [...consents.values()].filter(({ contact_id }) => !gone.has(contact_id));
    const added = [...suppressed.values()].filter(({ lifted }) => !lifted);
    const byAddress = await createContactsByAddress(contacts, [...last, ...added]);
    for (const entry of last) done.consents += await withdraw(entry, byAddress);
    for (const entry of added) done.suppressed += await suppressAgain(entry, byAddress);
    return done;
  };
}

/** The journal entries that concern contacts: the last one of each erasure, consent and suppression. */
async function sortOut(journal: AsyncIterable<JournalEntry>) {
  const erased = new Map<string, JournalOf<'erasure'>>();
  const consents = new Map<string, JournalOf<'consent'>>();
  const suppressed = new Map<string, JournalOf<'suppression'>>();
  const keep = <Entry extends { at: string }>(map: Map<string, Entry>, key: string, entry: Entry) => {
    if (entry.at >= (map.get(key)?.at ?? '')) map.set(key, entry);
  };
  for await (const entry of journal) {
    if (entry.kind === 'erasure') keep(erased, entry.erasure_id, entry);
    if (entry.kind === 'consent') keep(consents, `${entry.account_id} ${entry.contact_id} ${entry.channel} ${entry.topic}`, entry);
    if (entry.kind === 'suppression') keep(suppressed, `${entry.account_id} ${entry.hash}`, entry);
  }
  return { erased: [...erased.values()], consents, suppressed };
}
