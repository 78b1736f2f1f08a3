import { ApiError, notFound } from '@mp/contracts/errors';
import type { AccountId, SegmentId } from '@mp/ids';
import { latest } from '@mp/service-kit/clock';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage } from '@mp/service-kit/list';
import { isDuplicateKey, prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { StoredSegment } from './segment.ts';
import { type ListSegmentsQuery, nameKey, segmentIndexes, segmentsFilter } from './segment-filters.ts';

type SegmentDocument = Omit<StoredSegment, 'id' | 'created_at' | 'updated_at'> & {
  _id: SegmentId;
  account_id: AccountId;
  name_key: string;
  created_at: Date;
  updated_at: Date;
};

/** Incremented with every change of any definition of the account, in the same transaction. */
type DefinitionsDocument = { _id: string; version: number };

export type SegmentsStore = ReturnType<typeof createSegmentsStore>;

const maxSegments = 1_000;
const maxBuilds = 50;

/** Owns the `segments` and `definitions` collections. Every query names the account. */
export function createSegmentsStore(db: Db, cursors: Cursors) {
  const segments = db.collection<SegmentDocument>('segments');
  const definitions = db.collection<DefinitionsDocument>('definitions');

  async function findOne(accountId: AccountId, id: SegmentId, tx?: Transaction): Promise<StoredSegment | undefined> {
    const document = await segments.findOne({ _id: id, account_id: accountId }, tx && { session: tx.session });
    return document ? segmentOf(document) : undefined;
  }

  async function nextDefinitions(tx: Transaction, accountId: AccountId) {
    await definitions.updateOne({ _id: accountId }, { $inc: { version: 1 } }, { session: tx.session, upsert: true });
  }

  async function conflict(error: unknown, accountId: AccountId, name: string, nameExisting: boolean): Promise<unknown> {
    if (!isDuplicateKey(error)) return error;
    const existing = await segments.findOne({ account_id: accountId, name_key: nameKey(name) }, { projection: { _id: 1 } });
    if (!existing) return error;
    const named = nameExisting ? { existing_id: existing._id } : {};
    return new ApiError('CONFLICT', `Another segment already has the name ${name}${nameExisting ? `: ${existing._id}` : ''}.`, {
      details: [{ path: '/name', code: 'duplicate', message: 'The name must be unique in the account, regardless of case.', ...named }],
      cause: error,
    });
  }

  return {
    async prepare() {
      await prepareCollection(
        segments,
        Object.entries(segmentIndexes).map(([name, index]) => ({ name, ...index })),
        db,
      );
      await prepareCollection(definitions, [], db);
    },

    findOne,

    /** Throws NOT_FOUND. */
    async get(accountId: AccountId, id: SegmentId, tx?: Transaction): Promise<StoredSegment> {
      const segment = await findOne(accountId, id, tx);
      if (!segment) throw notFound();
      return segment;
    },

    /** Throws CONFLICT if the account already has a segment with this name, PLAN_LIMIT_EXCEEDED if it has too many. */
    async insert(tx: Transaction, accountId: AccountId, segment: StoredSegment, nameExisting: boolean) {
      const present = await segments.countDocuments({ account_id: accountId }, { session: tx.session });
      if (present >= maxSegments)
        throw new ApiError('PLAN_LIMIT_EXCEEDED', `An account can have at most ${maxSegments} segments; delete one first.`);
      await segments.insertOne(documentOf(accountId, segment), { session: tx.session }).catch(async (error: unknown) => {
        throw await conflict(error, accountId, segment.name, nameExisting);
      });
      await nextDefinitions(tx, accountId);
    },

    /** Throws CONFLICT as `insert` does. */
    async replace(tx: Transaction, accountId: AccountId, segment: StoredSegment, nameExisting: boolean) {
      await segments
        .replaceOne({ _id: segment.id, account_id: accountId }, documentOf(accountId, segment), { session: tx.session })
        .catch(async (error: unknown) => {
          throw await conflict(error, accountId, segment.name, nameExisting);
        });
      await nextDefinitions(tx, accountId);
    },

    async remove(tx: Transaction, accountId: AccountId, id: SegmentId) {
      await segments.deleteOne({ _id: id, account_id: accountId }, { session: tx.session });
      await nextDefinitions(tx, accountId);
    },

    /** Marks a version ready, unless a newer one has replaced it. */
    async markReady(
      tx: Transaction,
      accountId: AccountId,
      { id, version, definition_at, building_from, builds }: StoredSegment,
      now: Date,
    ) {
      // Changes under this version are dated after `definition_at`, even if the clock has not advanced since.
      const to = latest(now, new Date(definition_at.getTime() + 1));
      const build = building_from === null ? [] : [{ from: building_from, to, first: builds.length === 0 }];
      await segments.updateOne(
        { _id: id, account_id: accountId, version },
        { $set: { status: 'ready', building_from: null }, $push: { builds: { $each: build, $slice: -maxBuilds } } },
        { session: tx.session },
      );
    },

    async markFailed(accountId: AccountId, id: SegmentId, version: number) {
      await segments.updateOne({ _id: id, account_id: accountId, version }, { $set: { status: 'failed' } });
    },

    /** 0 if the account never had a segment. */
    async definitionsVersion(tx: Transaction, accountId: AccountId): Promise<number> {
      return (await definitions.findOne({ _id: accountId }, { session: tx.session }))?.version ?? 0;
    },

    /** Every account that ever had a segment. */
    async accountIds(): Promise<AccountId[]> {
      const documents = await definitions.find().project<{ _id: AccountId }>({ _id: 1 }).toArray();
      return documents.map(({ _id }) => _id);
    },

    async allOf(accountId: AccountId, tx?: Transaction): Promise<StoredSegment[]> {
      const documents = await segments.find({ account_id: accountId }, tx && { session: tx.session }).toArray();
      return documents.map(segmentOf);
    },

    async find(accountId: AccountId, ids: readonly SegmentId[]): Promise<StoredSegment[]> {
      const documents = await segments.find({ account_id: accountId, _id: { $in: [...ids] } }).toArray();
      return documents.map(segmentOf);
    },

    async list(accountId: AccountId, query: ListSegmentsQuery) {
      const { limit, cursor, include, ...filters } = query;
      const { where, order } = segmentsFilter(query);
      const { items, pagination } = await findPage({
        collection: segments,
        filter: { account_id: accountId, ...where },
        order,
        limit,
        cursor,
        cursors,
        boundTo: ['segments', accountId, filters],
        total: include === 'total_count',
      });
      return { items: items.map(segmentOf), pagination };
    },
  };
}

function documentOf(accountId: AccountId, { id, created_at, updated_at, ...members }: StoredSegment): SegmentDocument {
  return {
    _id: id,
    account_id: accountId,
    ...members,
    name_key: nameKey(members.name),
    created_at: new Date(created_at),
    updated_at: new Date(updated_at),
  };
}

function segmentOf({ _id, account_id, name_key, created_at, updated_at, ...members }: SegmentDocument): StoredSegment {
  // Segments from before there was archiving have no `archived_at`.
  return {
    id: _id,
    ...members,
    archived_at: members.archived_at ?? null,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}
