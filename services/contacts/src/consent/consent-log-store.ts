import type { Channel, Consent, Contact } from '@mp/contracts/contact';
import { newId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { type ConsentStep, type ConsentsBody, type Evidence, evidenceOf, sameConsent } from './consent.ts';

type ConsentLogDocument = {
  _id: string;
  account_id: string;
  contact_id: string;
  channel: Channel;
  topic: string | null;
  before: Consent | null;
  after: Consent | null;
  /** What was said and changed nothing; absent from rows of before this was kept. */
  outdated?: Consent | null;
  evidence: Evidence | null;
  revision: number;
  recorded_at: Date;
};

export type LoggedStep = { contact: Contact; step: ConsentStep; body: ConsentsBody | undefined };
export type ConsentLogStore = ReturnType<typeof createConsentLogStore>;

/**
 * The only place that knows the `consent_log` collection. Rows are added and never changed; only erasing a person
 * removes them. What a contact had when it was created without a word on consent is in the first row's `before`.
 */
export function createConsentLogStore(db: Db, cursors: Cursors) {
  const log = db.collection<ConsentLogDocument>('consent_log');

  /** What is outdated may be said again and again, by a file that is imported every night: it is logged unless it is in the log. */
  async function withoutRepetition(tx: Transaction, accountId: string, rows: readonly ConsentLogDocument[]) {
    const contactIds = new Set(rows.flatMap(({ outdated, contact_id }) => (outdated ? contact_id : [])));
    if (contactIds.size === 0) return rows;
    const logged = await log.find({ account_id: accountId, contact_id: { $in: [...contactIds] } }, { session: tx.session }).toArray();
    const isLogged = ({ contact_id, channel, topic, outdated = null, evidence }: ConsentLogDocument) =>
      logged.some(
        (row) =>
          [row.contact_id, row.channel, row.topic].join() === [contact_id, channel, topic].join() &&
          (evidence === null || JSON.stringify(row.evidence) === JSON.stringify(evidence)) &&
          [row.before, row.after, row.outdated ?? null].some((known) => known && sameConsent(known, outdated)),
      );
    return rows.filter((row) => !row.outdated || !isLogged(row));
  }

  return {
    prepare: () => prepareCollection(log, [{ name: 'contact', key: { account_id: 1, contact_id: 1, _id: 1 } }], db),

    async add(tx: Transaction, accountId: string, entries: readonly LoggedStep[], now = new Date()) {
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

    /** Newest first. */
    async page(accountId: string, contactIds: readonly string[], { limit, cursor }: { limit: number; cursor: string | undefined }) {
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
        items: items.map(({ _id, account_id, recorded_at, outdated = null, ...entry }) => ({
          id: _id,
          ...entry,
          outdated,
          recorded_at: recorded_at.toISOString(),
        })),
        pagination,
      };
    },

    /** Returns how many. */
    async erase(accountId: string, contactIds: readonly string[]) {
      return (await log.deleteMany({ account_id: accountId, contact_id: { $in: [...contactIds] } })).deletedCount;
    },
  };
}
