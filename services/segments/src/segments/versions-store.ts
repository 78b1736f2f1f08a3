import type { AccountId, SegmentId } from '@mp/ids';
import type { Rule } from '@mp/rules/rule';
import type { Cursors } from '@mp/service-kit/cursor';
import { findPage } from '@mp/service-kit/list';
import { prepareCollection, type Transaction } from '@mp/service-kit/mongo';
import type { Db } from 'mongodb';
import type { StoredSegment } from './segment.ts';

/** A version of a segment, kept after it is replaced. */
type VersionDocument = {
  _id: string;
  account_id: AccountId;
  segment_id: SegmentId;
  version: number;
  /** JSON, because keys of a rule can contain dots and dollar signs. */
  definition: string;
  created_by: string;
  created_at: Date;
  /** Null until every contact has been evaluated. */
  ready_at: Date | null;
  members_before: number | null;
  members_after: number | null;
};

export type Version = Omit<VersionDocument, '_id' | 'account_id' | 'definition'> & { definition: Rule | null };

export type VersionsStore = ReturnType<typeof createVersionsStore>;

type Built = { at: Date; before: number; after: number };

const idOf = (segmentId: SegmentId, version: number) => `${segmentId} ${version}`;

/** Owns the `versions` collection. Every query names the account. */
export function createVersionsStore(db: Db, cursors: Cursors) {
  const versions = db.collection<VersionDocument>('versions');

  return {
    prepare: () => prepareCollection(versions, [{ name: 'segment', key: { account_id: 1, segment_id: 1, version: 1, _id: 1 } }], db),

    /** Stores the current version of a segment. */
    async insert(tx: Transaction, accountId: AccountId, segment: StoredSegment, by: string) {
      const { id, version, definition, definition_at, status } = segment;
      const ready = status === 'ready';
      await versions.insertOne(
        {
          _id: idOf(id, version),
          account_id: accountId,
          segment_id: id,
          version,
          definition: JSON.stringify(definition),
          created_by: by,
          created_at: definition_at,
          ready_at: ready ? definition_at : null,
          members_before: ready ? 0 : null,
          members_after: ready ? 0 : null,
        },
        { session: tx.session },
      );
    },

    /** Does nothing for a version from before versions were stored. */
    async built(tx: Transaction, accountId: AccountId, { id, version }: StoredSegment, { at, before, after }: Built) {
      await versions.updateOne(
        { _id: idOf(id, version), account_id: accountId },
        { $set: { ready_at: at, members_before: before, members_after: after } },
        { session: tx.session },
      );
    },

    async remove(tx: Transaction, accountId: AccountId, segmentId: SegmentId) {
      await versions.deleteMany({ account_id: accountId, segment_id: segmentId }, { session: tx.session });
    },

    /** Newest first. */
    async list(accountId: AccountId, segmentId: SegmentId, { limit, cursor }: { limit: number; cursor?: string | undefined }) {
      const { items, pagination } = await findPage({
        collection: versions,
        filter: { account_id: accountId, segment_id: segmentId },
        order: { field: 'version', direction: -1 },
        limit,
        cursor,
        cursors,
        boundTo: ['segment versions', accountId, segmentId],
        hint: 'segment',
      });
      return { items: items.map(versionOf), pagination };
    },
  };
}

const versionOf = ({ _id, account_id, definition, ...version }: VersionDocument): Version => ({
  ...version,
  definition: JSON.parse(definition),
});
