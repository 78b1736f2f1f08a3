import { randomBytes } from 'node:crypto';
import { ApiError, notFound } from '@mp/contracts/errors';
import { type AccountId, newId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import { Binary, type Db } from 'mongodb';
import { extensions, type Image, type ImageType, maxImages, maxTotalBytes } from './image.ts';
import type { ReadFile } from './read-in-thread.ts';

type ImageDocument = {
  _id: string;
  account_id: AccountId;
  /** The last part of the URL. */
  file: string;
  name: string;
  content_type: ImageType;
  width: number;
  height: number;
  size: number;
  created_at: Date;
};

/** The content, apart from the row, so that lists do not read it. */
type ContentDocument = { _id: string; account_id: AccountId; content_type: ImageType; content: Binary };

/** What an account stores. Changed with every image, so that concurrent uploads cannot exceed the limits. */
type UsageDocument = { _id: AccountId; account_id: AccountId; count: number; bytes: number };

export type ImagesStore = ReturnType<typeof createImagesStore>;

/** The images of emails. Every query names the account, except for what the public URL shows. */
export function createImagesStore(db: Db, cursors: Cursors, { publicUrl }: { publicUrl: string }) {
  const images = db.collection<ImageDocument>('images');
  const contents = db.collection<ContentDocument>('image_contents');
  const usage = db.collection<UsageDocument>('image_usage');

  const imageOf = ({ _id, account_id: _, file, created_at, ...fields }: ImageDocument): Image => ({
    id: _id,
    url: `${publicUrl}/t/i/${file}`,
    ...fields,
    created_at: created_at.toISOString(),
  });

  /** Throws PLAN_LIMIT_EXCEEDED if the account would store too much. */
  async function charge(tx: Transaction, accountId: AccountId, count: number, bytes: number) {
    const stored = await usage.findOneAndUpdate(
      { _id: accountId },
      { $set: { account_id: accountId }, $inc: { count, bytes } },
      { session: tx.session, upsert: true, returnDocument: 'after' },
    );
    if (count < 0 || !stored || (stored.count <= maxImages && stored.bytes <= maxTotalBytes)) return;
    throw new ApiError(
      'PLAN_LIMIT_EXCEEDED',
      `An account can store ${maxImages} images and ${maxTotalBytes / 1_048_576} MiB; delete images that no email uses.`,
    );
  }

  async function findOne(accountId: AccountId, id: string, tx?: Transaction): Promise<ImageDocument> {
    const document = await images.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
    if (!document) throw notFound();
    return document;
  }

  return {
    async prepare() {
      await prepareCollection(images, [{ key: { account_id: 1, _id: 1 } }], db);
      await prepareCollection(contents, [{ key: { account_id: 1 } }], db);
      await prepareCollection(usage, [{ key: { account_id: 1 } }], db);
    },

    /** Throws PLAN_LIMIT_EXCEEDED if the account would store too much. */
    async insert(tx: Transaction, accountId: AccountId, { name, bytes, ...read }: ReadFile & { name: string }): Promise<Image> {
      await charge(tx, accountId, 1, bytes.length);
      const file = `${randomBytes(18).toString('base64url')}.${extensions[read.content_type]}`;
      const document = { _id: newId('image'), account_id: accountId, file, name, ...read, size: bytes.length, created_at: new Date() };
      await images.insertOne(document, { session: tx.session });
      await contents.insertOne(
        { _id: file, account_id: accountId, content_type: read.content_type, content: new Binary(bytes) },
        { session: tx.session },
      );
      return imageOf(document);
    },

    /** Throws NOT_FOUND. */
    get: async (accountId: AccountId, id: string): Promise<Image> => imageOf(await findOne(accountId, id)),

    /** Throws NOT_FOUND. */
    async remove(tx: Transaction, accountId: AccountId, id: string) {
      const { file, size } = await findOne(accountId, id, tx);
      await images.deleteOne({ _id: id, account_id: accountId }, { session: tx.session });
      await contents.deleteOne({ _id: file, account_id: accountId }, { session: tx.session });
      await charge(tx, accountId, -1, -size);
    },

    async list(accountId: AccountId, { limit, cursor }: { limit: number; cursor?: string | undefined }) {
      const { items, pagination } = await findPage({
        collection: images,
        filter: { account_id: accountId },
        order: { field: '_id', direction: -1 },
        ...{ limit, cursor, cursors },
        boundTo: ['images', accountId],
      });
      return { items: items.map(imageOf), pagination };
    },

    /** What a public URL shows, whichever account it belongs to: the URL itself is the permission. */
    async contentOf(file: string): Promise<{ content_type: ImageType; bytes: Uint8Array } | undefined> {
      const document = await contents.findOne({ _id: file });
      return document ? { content_type: document.content_type, bytes: document.content.buffer } : undefined;
    },
  };
}
