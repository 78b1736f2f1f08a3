import type { AccountId, ContactId, FormId, Id } from '@mp/ids';
import { isDuplicateKey, prepareCollection, type Transaction, transientError } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { GivenConsent } from './opt-ins-store.ts';

export type SubmissionDocument = {
  _id: Id<'submission'>;
  account_id: AccountId;
  form_id: FormId;
  form_version: number;
  contact_id: ContactId;
  /** Makes it recognisable when it is sent twice. */
  key?: string;
  /** The evidence, in the words of the page. */
  consents: GivenConsent[];
  ip: string;
  user_agent: string;
  page: string | null;
  at: Date;
};

export type SubmissionsStore = ReturnType<typeof createSubmissionsStore>;

/** What visitors submitted and agreed to. Only an erasure removes it, as it does the consent log. */
export function createSubmissionsStore(db: Db) {
  const submissions = db.collection<SubmissionDocument>('form_submissions');

  return {
    prepare: () =>
      prepareCollection(
        submissions,
        [
          { name: 'once', key: { account_id: 1, form_id: 1, key: 1 }, unique: true, partialFilterExpression: { key: { $exists: true } } },
          { name: 'contact', key: { account_id: 1, contact_id: 1 } },
        ],
        db,
      ),

    /** Whether this submission was stored before. */
    async has(tx: Transaction, accountId: AccountId, formId: FormId, key: string): Promise<boolean> {
      const known = await submissions.findOne(
        { account_id: accountId, form_id: formId, key },
        { session: tx.session, projection: { _id: 1 } },
      );
      return known !== null;
    },

    async insert(tx: Transaction, document: SubmissionDocument) {
      await submissions.insertOne(document, { session: tx.session }).catch((error: unknown) => {
        throw isDuplicateKey(error) ? transientError('the same submission is stored concurrently') : error;
      });
    },

    /** Returns how many were removed. */
    async erase(accountId: AccountId, contactIds: readonly ContactId[], tx?: Transaction): Promise<number> {
      const where = { account_id: accountId, contact_id: { $in: [...contactIds] } };
      return (await submissions.deleteMany(where, tx && { session: tx.session })).deletedCount;
    },
  };
}
