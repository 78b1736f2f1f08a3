import type { Channel, Consent, Contact } from '@mp/contracts/contact';
import { type AccountId, type ContactId, newId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import {
  type ConsentStep,
  type ConsentsBody,
  consentsOfTopic,
  type Evidence,
  evidenceOf,
  sameConsent,
  type Withdrawal,
} from './consent.ts';

type ConsentLogDocument = {
  _id: string;
  account_id: AccountId;
  contact_id: ContactId;
  channel: Channel;
  topic: string | null;
  before: Consent | null;
  after: Consent | null;
  /** A consent that had no effect. */
  outdated: Consent | null;
  evidence: Evidence | null;
  revision: number;
  recorded_at: Date;
};

export type LoggedStep = { contact: Contact; step: ConsentStep; body: ConsentsBody | undefined };
export type EvidenceInForce = { channel: Channel; topic: string | null; evidence: Evidence };
export type ConsentLogStore = ReturnType<typeof createConsentLogStore>;

/**
 * Owns the `consent_log` collection. Rows are added and never changed; only an erasure removes them. The default consent of
 * a contact created without explicit consent is the `before` of its first row.
 */
export function createConsentLogStore(db: Db, cursors: Cursors) {
  const log = db.collection<ConsentLogDocument>('consent_log');

  /** Drops outdated steps that are already logged: a file imported every night would repeat them. */
  async function withoutRepetition(tx: Transaction, accountId: AccountId, rows: readonly ConsentLogDocument[]) {
    const contactIds = new Set(rows.flatMap(({ outdated, contact_id }) => (outdated ? contact_id : [])));
    if (contactIds.size === 0) return rows;
    const logged = await log.find({ account_id: accountId, contact_id: { $in: [...contactIds] } }, { session: tx.session }).toArray();
    const known = new Map<string, ConsentLogDocument[]>();
    const keyOf = ({ contact_id, channel, topic }: ConsentLogDocument) => `${contact_id} ${channel} ${topic ?? ''}`;
    const keep = (row: ConsentLogDocument) => {
      const ofTopic = known.get(keyOf(row));
      if (ofTopic) ofTopic.push(row);
      else known.set(keyOf(row), [row]);
    };
    for (const row of logged) keep(row);
    const isKnown = (row: ConsentLogDocument) =>
      (known.get(keyOf(row)) ?? []).some(
        ({ before, after, outdated, evidence }) =>
          (row.evidence === null || JSON.stringify(evidence) === JSON.stringify(row.evidence)) &&
          [before, after, outdated].some((one) => one && sameConsent(one, row.outdated)),
      );
    return rows.filter((row) => {
      if (row.outdated && isKnown(row)) return false;
      keep(row);
      return true;
    });
  }

  return {
    prepare: () => prepareCollection(log, [{ name: 'contact', key: { account_id: 1, contact_id: 1, _id: 1 } }], db),

    async add(tx: Transaction, accountId: AccountId, entries: readonly LoggedStep[], now = new Date()) {
      const rows = entries.map(({ contact, step, body }) => ({
        _id: newId('consent'),
        account_id: accountId,
        contact_id: contact.id,
        ...step,
        evidence: evidenceOf(body, step),
        revision: contact.revision,
        recorded_at: step.outdated ? now : new Date(contact.updated_at),
      }));
      const fresh = await withoutRepetition(tx, accountId, rows);
      if (fresh.length > 0) await log.insertMany(fresh, { session: tx.session });
    },

    /** Unsubscriptions that had no effect because a later one was known, newest first. */
    async lateWithdrawals(tx: Transaction, accountId: AccountId, contactId: ContactId, since: Date): Promise<Withdrawal[]> {
      const rows = await log
        .find(
          { account_id: accountId, contact_id: contactId, 'outdated.status': 'unsubscribed', recorded_at: { $gte: since } },
          { session: tx.session },
        )
        .toArray();
      return rows
        .flatMap(({ channel, topic, outdated }) => (outdated ? [{ channel, topic, consent: outdated }] : []))
        .toSorted((a, b) => Date.parse(b.consent.at) - Date.parse(a.consent.at));
    },

    /** The evidence of the consents that these contacts have now. `survivors` has the contacts that others were merged into. */
    async evidenceOf(
      accountId: AccountId,
      contacts: readonly Contact[],
      survivors: ReadonlyMap<ContactId, ContactId>,
    ): Promise<Map<ContactId, EvidenceInForce[]>> {
      const byId = new Map(contacts.map((contact) => [contact.id, contact]));
      const found = new Map<ContactId, EvidenceInForce[]>();
      const ids = [...byId.keys(), ...survivors.keys()];
      const rows = log.find({ account_id: accountId, contact_id: { $in: ids }, evidence: { $ne: null } }).sort({ _id: 1 });
      for await (const { contact_id, channel, topic, after, evidence } of rows) {
        const id = survivors.get(contact_id) ?? contact_id;
        const consent = byId.get(id)?.consent;
        const now = topic === null ? consent?.[channel] : consentsOfTopic(consent, topic)[channel];
        if (!evidence || !now || !sameConsent(after, now)) continue;
        found.set(id, [...(found.get(id) ?? []), { channel, topic, evidence }]);
      }
      return found;
    },

    /** Newest first. */
    async page(accountId: AccountId, contactIds: readonly ContactId[], { limit, cursor }: { limit: number; cursor: string | undefined }) {
      const { items, pagination } = await findPage({
        collection: log,
        filter: { account_id: accountId, contact_id: { $in: [...contactIds] } },
        order: { field: '_id', direction: -1 },
        limit,
        cursor,
        cursors,
        boundTo: ['consent_log', accountId, contactIds],
      });
      return {
        items: items.map(({ _id, account_id, recorded_at, ...entry }) => ({
          id: _id,
          ...entry,
          recorded_at: recorded_at.toISOString(),
        })),
        pagination,
      };
    },

    /** Returns how many rows were removed. */
    async erase(accountId: AccountId, contactIds: readonly ContactId[], tx?: Transaction) {
      const where = { account_id: accountId, contact_id: { $in: [...contactIds] } };
      return (await log.deleteMany(where, tx && { session: tx.session })).deletedCount;
    },
  };
}
