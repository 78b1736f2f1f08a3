import { ApiError, notFound } from '@mp/contracts/errors';
import type { AccountId, FormId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage, parseSort } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { Form, FormVersion } from './form.ts';
import { createFormCache, type PublicForm } from './form-cache.ts';
import { defaults } from './form-content.ts';

type FormDocument = Omit<Form, 'id' | 'created_at' | 'updated_at' | 'flooded_at'> & {
  _id: FormId;
  account_id: AccountId;
  created_at: Date;
  updated_at: Date;
  flooded_at: Date | null;
};

type VersionDocument = { _id: string; account_id: AccountId; form_id: FormId; version: number; content: string; created_at: Date };

type ListRequest = {
  limit: number;
  cursor?: string | undefined;
  include?: 'total_count' | undefined;
  sort: string;
  status: Form['status'];
};

export type FormsStore = ReturnType<typeof createFormsStore>;

/** Forms and their versions. Every query but that of a visitor names the account. */
export function createFormsStore(db: Db, cursors: Cursors) {
  const forms = db.collection<FormDocument>('forms');
  const versions = db.collection<VersionDocument>('form_versions');
  const published = createFormCache(async (id) => {
    const document = await forms.findOne({ _id: id, status: 'active' });
    return document ? { accountId: document.account_id, form: formOf(document) } : undefined;
  });

  async function findOne(accountId: AccountId, id: FormId, tx?: Transaction): Promise<Form | undefined> {
    const document = await forms.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
    return document ? formOf(document) : undefined;
  }

  /** Names are unique; two requests for the same name conflict on the index. */
  async function requireFreeName(tx: Transaction, accountId: AccountId, { id, name }: Form) {
    const taken = await forms.findOne({ account_id: accountId, name, _id: { $ne: id } }, { session: tx.session, projection: { _id: 1 } });
    if (!taken) return;
    throw new ApiError('CONFLICT', `Another form, ${taken._id}, has the name ${JSON.stringify(name)}; choose another name.`, {
      details: [{ path: '/name', code: 'name_taken', message: 'Another form has this name.', existing_id: taken._id }],
    });
  }

  const addVersion = (tx: Transaction, accountId: AccountId, form: Form) => {
    const { id: form_id, version, updated_at } = form;
    // As text, because the keys of records may contain what MongoDB does not accept.
    const content = JSON.stringify(FormVersion.parse({ ...form, form_id, created_at: updated_at }));
    const document = { _id: `${form_id} ${version}`, account_id: accountId, form_id, version, content, created_at: new Date(updated_at) };
    return versions.insertOne(document, { session: tx.session });
  };

  return {
    async prepare() {
      await prepareCollection(
        forms,
        [
          { key: { account_id: 1, name: 1 }, name: 'name', unique: true },
          { key: { account_id: 1, status: 1, created_at: 1, _id: 1 }, name: 'created_at' },
          { key: { account_id: 1, status: 1, updated_at: 1, _id: 1 }, name: 'updated_at' },
          { key: { account_id: 1, status: 1, name: 1, _id: 1 }, name: 'status_name' },
        ],
        db,
      );
      await prepareCollection(versions, [{ key: { account_id: 1, form_id: 1, version: 1, _id: 1 }, name: 'of_form', unique: true }], db);
    },

    findOne,

    /** Throws NOT_FOUND. */
    async get(accountId: AccountId, id: FormId, tx?: Transaction): Promise<Form> {
      const form = await findOne(accountId, id, tx);
      if (!form) throw notFound();
      return form;
    },

    /** The form that a visitor names by its ID, which is public. Throws NOT_FOUND for one that is archived or does not exist. */
    async getPublic(id: FormId): Promise<PublicForm> {
      const found = await published.find(id);
      if (!found) throw notFound();
      return found;
    },

    /** Throws CONFLICT if the name is taken. */
    async insert(tx: Transaction, accountId: AccountId, form: Form) {
      await requireFreeName(tx, accountId, form);
      await forms.insertOne(documentOf(accountId, form), { session: tx.session });
      await addVersion(tx, accountId, form);
    },

    /** Throws CONFLICT if the name is taken. Adds a version if the content changed. */
    async replace(tx: Transaction, accountId: AccountId, before: Form, form: Form) {
      if (before.name !== form.name) await requireFreeName(tx, accountId, form);
      await forms.replaceOne({ _id: form.id, account_id: accountId }, documentOf(accountId, form), { session: tx.session });
      if (before.version !== form.version) await addVersion(tx, accountId, form);
      tx.afterCommit(() => published.forget(form.id));
    },

    /** Removes the form and its versions. Links of confirmation emails that were sent keep working. */
    async remove(tx: Transaction, accountId: AccountId, id: FormId) {
      await forms.deleteOne({ _id: id, account_id: accountId }, { session: tx.session });
      await versions.deleteMany({ account_id: accountId, form_id: id }, { session: tx.session });
      tx.afterCommit(() => published.forget(id));
    },

    async listVersions(accountId: AccountId, id: FormId, { limit, cursor }: Pick<ListRequest, 'limit' | 'cursor'>) {
      const { items, pagination } = await findPage({
        collection: versions,
        filter: { account_id: accountId, form_id: id },
        order: { field: 'version', direction: -1 },
        ...{ limit, cursor, cursors },
        boundTo: ['form versions', accountId, id],
      });
      return { items: items.map(({ content }) => FormVersion.parse(JSON.parse(content))), pagination };
    },

    async list(accountId: AccountId, { limit, cursor, include, sort, status }: ListRequest) {
      const { items, pagination } = await findPage({
        collection: forms,
        filter: { account_id: accountId, status },
        order: parseSort(sort),
        ...{ limit, cursor, cursors },
        boundTo: ['forms', accountId, status, sort],
        total: include === 'total_count',
      });
      return { items: items.map(formOf), pagination };
    },

    /** Notes that the form is flooded, at most once in `everyMs`. Returns whether it was noted now. */
    async noteFlood(
      tx: Transaction,
      accountId: AccountId,
      { id, now, everyMs }: { id: FormId; now: Date; everyMs: number },
    ): Promise<boolean> {
      const { modifiedCount } = await forms.updateOne(
        { _id: id, account_id: accountId, $or: [{ flooded_at: null }, { flooded_at: { $lt: new Date(now.getTime() - everyMs) } }] },
        { $set: { flooded_at: now } },
        { session: tx.session },
      );
      tx.afterCommit(() => published.forget(id));
      return modifiedCount === 1;
    },
  };
}

const documentOf = (accountId: AccountId, { id, created_at, updated_at, flooded_at, ...fields }: Form): FormDocument => ({
  ...{ _id: id, account_id: accountId },
  ...fields,
  created_at: new Date(created_at),
  updated_at: new Date(updated_at),
  flooded_at: flooded_at === null ? null : new Date(flooded_at),
});

/** Settings that forms of earlier versions do not have. */
const addedSettings = { reject_disposable_addresses: defaults.reject_disposable_addresses };

const formOf = ({ _id, account_id: _, created_at, updated_at, flooded_at, ...fields }: FormDocument): Form =>
  Form.parse({
    id: _id,
    ...addedSettings,
    ...fields,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
    flooded_at: flooded_at?.toISOString() ?? null,
  });
