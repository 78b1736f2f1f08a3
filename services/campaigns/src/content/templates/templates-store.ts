import { ApiError, notFound } from '@mp/contracts/errors';
import type { AccountId, TemplateId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage, parseSort } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import { readsCoupon } from '../../coupons/reads-coupon.ts';
import { contentOf, type Template, type TemplateSummary, type TemplateVersion } from './template.ts';

type TemplateDocument = Omit<Template, 'id' | 'created_at' | 'updated_at'> & {
  _id: TemplateId;
  account_id: AccountId;
  created_at: Date;
  updated_at: Date;
  /** Changes in transactions that decide by the existence of the template. */
  decisions?: number;
};

type VersionDocument = Omit<TemplateVersion, 'created_at'> & { _id: string; account_id: AccountId; created_at: Date };

type ListRequest = { limit: number; cursor?: string | undefined; include?: 'total_count' | undefined; sort: string };

export type TemplatesStore = ReturnType<typeof createTemplatesStore>;

/** Templates and the versions of their content. Every query names the account. */
export function createTemplatesStore(db: Db, cursors: Cursors) {
  const templates = db.collection<TemplateDocument>('templates');
  const versions = db.collection<VersionDocument>('template_versions');

  async function findOne(accountId: AccountId, id: TemplateId, tx?: Transaction): Promise<Template | undefined> {
    const document = await templates.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
    return document ? templateOf(document) : undefined;
  }

  async function get(accountId: AccountId, id: TemplateId, tx?: Transaction): Promise<Template> {
    const template = await findOne(accountId, id, tx);
    if (!template) throw notFound();
    return template;
  }

  async function findVersion(
    accountId: AccountId,
    id: TemplateId,
    version: number,
    tx?: Transaction,
  ): Promise<TemplateVersion | undefined> {
    const document = await versions.findOne({ account_id: accountId, template_id: id, version }, tx && { session: tx.session });
    return document ? versionOf(document) : undefined;
  }

  /** Names are unique; two requests for the same name conflict on the index. */
  async function requireFreeName(tx: Transaction, accountId: AccountId, { id, name }: Template) {
    const taken = await templates.findOne(
      { account_id: accountId, name, _id: { $ne: id } },
      { session: tx.session, projection: { _id: 1 } },
    );
    if (!taken) return;
    throw new ApiError('CONFLICT', `Another template, ${taken._id}, has the name ${JSON.stringify(name)}; choose another name.`, {
      details: [{ path: '/name', code: 'name_taken', message: 'Another template has this name.', existing_id: taken._id }],
    });
  }

  const addVersion = (tx: Transaction, accountId: AccountId, template: Template) =>
    versions.insertOne(
      {
        ...{ _id: `${template.id} ${template.version}`, account_id: accountId, template_id: template.id, version: template.version },
        ...contentOf(template),
        created_at: new Date(template.updated_at),
      },
      { session: tx.session },
    );

  return {
    async prepare() {
      await prepareCollection(
        templates,
        [
          { key: { account_id: 1, name: 1 }, name: 'name', unique: true },
          { key: { account_id: 1, created_at: 1, _id: 1 }, name: 'created_at' },
          { key: { account_id: 1, updated_at: 1, _id: 1 }, name: 'updated_at' },
        ],
        db,
      );
      await prepareCollection(
        versions,
        [{ key: { account_id: 1, template_id: 1, version: 1, _id: 1 }, name: 'of_template', unique: true }],
        db,
      );
    },

    findOne,

    /** Throws NOT_FOUND. */
    get,

    /** Throws CONFLICT if the name is taken. */
    async insert(tx: Transaction, accountId: AccountId, template: Template) {
      await requireFreeName(tx, accountId, template);
      await templates.insertOne(documentOf(accountId, template), { session: tx.session });
      await addVersion(tx, accountId, template);
    },

    /** Throws CONFLICT if the name is taken. Adds a version if the content changed. */
    async replace(tx: Transaction, accountId: AccountId, before: Template, template: Template) {
      if (before.name !== template.name) await requireFreeName(tx, accountId, template);
      await templates.replaceOne({ _id: template.id, account_id: accountId }, documentOf(accountId, template), { session: tx.session });
      if (before.version !== template.version) await addVersion(tx, accountId, template);
    },

    /** A template of the account that reads the coupon. */
    async readingCoupon(tx: Transaction, accountId: AccountId, coupon: string): Promise<string | undefined> {
      const found = await templates.findOne(
        { account_id: accountId, ...readsCoupon(coupon) },
        { session: tx.session, projection: { _id: 1 } },
      );
      return found?._id;
    },

    /** Locks the template until the transaction ends, so that it is not deleted in the meantime. Returns false if it does not exist. */
    async lock(tx: Transaction, accountId: AccountId, id: TemplateId): Promise<boolean> {
      const { matchedCount } = await templates.updateOne(
        { _id: id, account_id: accountId },
        { $inc: { decisions: 1 } },
        { session: tx.session },
      );
      return matchedCount === 1;
    },

    /** Removes the template and its versions. Emails that were sent with them keep their content. */
    async remove(tx: Transaction, accountId: AccountId, id: TemplateId) {
      await templates.deleteOne({ _id: id, account_id: accountId }, { session: tx.session });
      await versions.deleteMany({ account_id: accountId, template_id: id }, { session: tx.session });
    },

    findVersion,

    /** Throws NOT_FOUND. */
    async getVersion(...named: Parameters<typeof findVersion>): Promise<TemplateVersion> {
      const found = await findVersion(...named);
      if (!found) throw notFound();
      return found;
    },

    /** The version that was current at that time. Throws NOT_FOUND. */
    async getVersionAsOf(accountId: AccountId, id: TemplateId, at: Date): Promise<TemplateVersion> {
      const then = { account_id: accountId, template_id: id, created_at: { $lte: at } };
      const document = await versions.findOne(then, { sort: { version: -1 } });
      if (!document) throw notFound();
      return versionOf(document);
    },

    async listVersions(accountId: AccountId, id: TemplateId, { limit, cursor }: Pick<ListRequest, 'limit' | 'cursor'>) {
      const { items, pagination } = await findPage({
        collection: versions,
        filter: { account_id: accountId, template_id: id },
        order: { field: 'version', direction: -1 },
        ...{ limit, cursor, cursors },
        boundTo: ['template versions', accountId, id],
      });
      return { items: items.map(versionOf), pagination };
    },

    async list(accountId: AccountId, { limit, cursor, include, sort }: ListRequest) {
      const { items, pagination } = await findPage({
        collection: templates,
        filter: { account_id: accountId },
        order: parseSort(sort),
        ...{ limit, cursor, cursors },
        boundTo: ['templates', accountId, sort],
        total: include === 'total_count',
      });
      return { items: items.map(summaryOf), pagination };
    },
  };
}

const documentOf = (accountId: AccountId, { id, created_at, updated_at, ...fields }: Template): TemplateDocument => ({
  ...{ _id: id, account_id: accountId },
  ...fields,
  created_at: new Date(created_at),
  updated_at: new Date(updated_at),
});

const templateOf = ({ _id, account_id: _, decisions: __, created_at, updated_at, ...fields }: TemplateDocument): Template => ({
  id: _id,
  ...fields,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
});

function summaryOf(document: TemplateDocument): TemplateSummary {
  const { html: _html, mjml: _mjml, text: _text, design: _design, ...summary } = templateOf(document);
  return summary;
}

const versionOf = ({ _id, account_id: _, created_at, ...fields }: VersionDocument): TemplateVersion => ({
  ...fields,
  created_at: created_at.toISOString(),
});
