import { type Collection, type Db, type Document, MongoServerError, type OptionalUnlessRequiredId } from 'mongodb';
import type { Transaction } from './mongo.ts';

/**
 * Inserts all of these documents, together below 16 MB, or throws what is wrong with the first that cannot be. The
 * driver's `insertMany` measures each document before it serializes it, which for hundreds of them is a tenth of all the
 * work there is.
 */
export async function insertAll<T extends Document>(
  db: Db,
  collection: Collection<T>,
  documents: readonly OptionalUnlessRequiredId<T>[],
  { session }: Transaction,
) {
  if (documents.length === 0) return;
  const answer = await db.command({ insert: collection.collectionName, documents, ordered: true }, { session });
  const [first] = answer.writeErrors ?? [];
  if (first) throw new MongoServerError({ ...first, message: first.errmsg });
}
