import type { Channel, Contact } from '@mp/contracts/contact';
import type { PageLanguage } from '@mp/contracts/page-language';
import type { AccountId, ContactId, FormId } from '@mp/ids';
import { dayMs } from '@mp/rules/duration';
import { isDuplicateKey, prepareCollection, type Transaction, transientError } from '@mp/service-kit/mongo';
import { notSuspended, type Suspended } from '@mp/service-kit/suspensions';
import type { Db } from 'mongodb';
import { maxMailsPerDay } from './confirmation-limits.ts';
import type { Form } from './form.ts';
import type { OptInId } from './link-token.ts';

/** A topic of a channel, or the whole channel. */
export type Unit = { channel: Channel; topic: string | null };

/** What a visitor agreed to, in the words of the page. */
export type GivenConsent = { channel: Channel; topics: string[]; text: string };

/** One request for confirmation: of one form, for one contact and a set of topics. */
export type OptInDocument = {
  _id: OptInId;
  account_id: AccountId;
  contact_id: ContactId;
  form_id: FormId;
  form_name: string;
  form_version: number;
  /** The hash of the address that the link goes to. It confirms nothing once the contact has another one. */
  address: string;
  language: PageLanguage;
  consents: GivenConsent[];
  /** What follows a confirmation, as the form had it when it was submitted. */
  after: Pick<Form, 'sender' | 'tags' | 'segment_id' | 'after_confirmation'> & {
    template_id: Form['double_opt_in']['template_id'];
    /** That of the form; missing in requests of earlier versions. */
    language?: PageLanguage;
  };
  /** Proof of the submission. One that a bulk job asked for has no visitor to prove it, but names the job. */
  ip: string;
  user_agent: string;
  page: string | null;
  /** Missing in requests of earlier versions. */
  source?: string | null;
  visitor_id?: string | null;
  job_id?: string;
  submitted_at: Date;
  /** Whether forms created the contact and nothing but forms had changed it, and the revision that it had after the submission. */
  is_new: boolean;
  revision: number;
  /** `expired` also if the contact lost the address earlier. */
  state: 'open' | 'confirmed' | 'expired';
  /** How many confirmation emails were requested. */
  mails: number;
  expires_at: Date;
  /** Present while a reminder is to be sent, and `reminded` after that. */
  remind_at?: Date;
  reminded?: true;
  /** Present while it is open: the earlier of both. */
  due_at?: Date;
  confirmed_at?: Date;
};

type MailsDocument = { _id: string; account_id: AccountId; at: Date[]; expires_at: Date };

export type OptInsStore = ReturnType<typeof createOptInsStore>;

export const unitsOf = (consents: readonly Pick<GivenConsent, 'channel' | 'topics'>[]): Unit[] =>
  consents.flatMap(({ channel, topics }) => (topics.length === 0 ? [null] : topics).map((topic) => ({ channel, topic })));

/** Whether forms created the contact, and nothing but forms has changed it since. A merge is a change as well. */
export const isOnlyOfForms = ({ id, revision: current }: Pick<Contact, 'id' | 'revision'>, requests: readonly OptInDocument[]): boolean =>
  requests.some(({ contact_id, is_new, revision }) => contact_id === id && is_new && revision === current);

/** The wording of the consent to a topic or channel. */
export const textOf = (consents: readonly GivenConsent[], { channel, topic }: Unit): string | undefined =>
  consents.find((one) => one.channel === channel && (topic === null ? one.topics.length === 0 : one.topics.includes(topic)))?.text;

/** The requests for confirmation, and how many emails each address had lately. */
export function createOptInsStore(db: Db) {
  const optIns = db.collection<OptInDocument>('opt_ins');
  const mails = db.collection<MailsDocument>('confirmation_mails');

  /** When the address had confirmation emails today. */
  async function mailedAt(tx: Transaction, accountId: AccountId, address: string, now: Date): Promise<Date[]> {
    const known = await mails.findOne({ _id: `${accountId} ${address}`, account_id: accountId }, { session: tx.session });
    return (known?.at ?? []).filter((at) => now.getTime() - at.getTime() < dayMs);
  }

  return {
    async prepare() {
      const open = { due_at: { $exists: true } };
      await prepareCollection(
        optIns,
        [
          { name: 'contact', key: { account_id: 1, contact_id: 1, state: 1 } },
          { name: 'due', key: { due_at: 1 }, partialFilterExpression: open },
        ],
        db,
      );
      await prepareCollection(mails, [{ name: 'expiry', key: { expires_at: 1 }, expireAfterSeconds: 0 }, { key: { account_id: 1 } }], db);
    },

    async find(accountId: AccountId, id: OptInId, tx?: Transaction): Promise<OptInDocument | undefined> {
      return (await optIns.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session })) ?? undefined;
    },

    /** All requests of a contact, by its ID and those of the contacts merged into it. */
    ofContact: (tx: Transaction, accountId: AccountId, contactIds: readonly ContactId[]): Promise<OptInDocument[]> =>
      optIns.find({ account_id: accountId, contact_id: { $in: [...contactIds] } }, { session: tx.session }).toArray(),

    /** Writes a request, new or changed. */
    put: (tx: Transaction, document: OptInDocument) =>
      optIns.replaceOne({ _id: document._id, account_id: document.account_id }, document, { upsert: true, session: tx.session }),

    /** Ends the open requests of these contacts whose links go to another address than this one. */
    endOthers: (tx: Transaction, accountId: AccountId, contactIds: readonly ContactId[], address: string | null) =>
      optIns.updateMany(
        { account_id: accountId, contact_id: { $in: [...contactIds] }, state: 'open', address: { $ne: address ?? '' } },
        { $set: { state: 'expired' }, $unset: { remind_at: '', due_at: '' } },
        { session: tx.session },
      ),

    /** Requests that have a reminder to be sent or have expired. */
    due: (suspended: Pick<Suspended, 'all'>, now: Date, limit: number): Promise<OptInDocument[]> =>
      optIns
        .find({ due_at: { $lte: now }, ...notSuspended(suspended) })
        .sort({ due_at: 1 })
        .limit(limit)
        .toArray(),

    /** Whether the address may have another confirmation email today. */
    mayMail: async (tx: Transaction, accountId: AccountId, address: string, now: Date): Promise<boolean> =>
      (await mailedAt(tx, accountId, address, now)).length < maxMailsPerDay,

    /**
     * Whether the address may have another confirmation email today; if so, it is counted. Two concurrent transactions for an address
     * conflict, so that together they never exceed the maximum.
     */
    async countMail(tx: Transaction, accountId: AccountId, address: string, now: Date): Promise<boolean> {
      const _id = `${accountId} ${address}`;
      const recent = await mailedAt(tx, accountId, address, now);
      if (recent.length >= maxMailsPerDay) return false;
      const at = [...recent, now];
      // One that is due later may have been counted before.
      const newest = Math.max(...at.map((one) => one.getTime()));
      const update = { $set: { at, expires_at: new Date(newest + dayMs) } };
      await mails.updateOne({ _id, account_id: accountId }, update, { upsert: true, session: tx.session }).catch((error: unknown) => {
        throw isDuplicateKey(error) ? transientError('another submission for the address is counted') : error;
      });
      return true;
    },

    /** Removes the requests of erased contacts. Returns how many there were. */
    async erase(accountId: AccountId, contactIds: readonly ContactId[], tx?: Transaction): Promise<number> {
      const where = { account_id: accountId, contact_id: { $in: [...contactIds] } };
      return (await optIns.deleteMany(where, tx && { session: tx.session })).deletedCount;
    },
  };
}
