import { type Db, MongoClient } from 'mongodb';
import { testInfra } from './infra.ts';

/** Emptying more documents takes longer than making a new database. */
const maxDocuments = 10_000;

/** Databases of tests that have ended, by service. Making the collections and indexes of a service takes about a second of processor. */
const free = new Map<string, string[]>();

/** What a database looked like once its service had prepared it: a test that changed more than documents does not pass its database on. */
const prepared = new Map<string, string>();

/** The name of a database that an earlier test of this process used, or of a new one. */
export const takeDatabase = (service: string): string => free.get(service)?.pop() ?? newDatabase(service);

export function newDatabase(service: string): string {
  return `test_${service}_${process.pid}_${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6)}`;
}

/** Call it when the service has made its collections and indexes. */
export async function notePrepared(db: Db): Promise<void> {
  if (!prepared.has(db.databaseName)) prepared.set(db.databaseName, (await shapeOf(db)).shape);
}

/** Call it when nothing writes to the database any longer. */
export async function returnDatabase(service: string, db: Db): Promise<void> {
  const { shape, documents } = await shapeOf(db);
  if (shape !== prepared.get(db.databaseName) || documents > maxDocuments) return dropCollections(db);
  free.set(service, [...(free.get(service) ?? []), db.databaseName]);
}

/** Removes what is left of the test that had the database before. */
export async function emptyDatabase(db: Db): Promise<void> {
  if (!prepared.has(db.databaseName)) return;
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  await Promise.all(collections.map(({ name }) => db.collection(name, { writeConcern: { w: 1 } }).deleteMany({})));
}

/** Call it when all tests of the process have ended. */
export async function dropFreeDatabases(): Promise<void> {
  if (free.size === 0) return;
  const { mongoUrl } = await testInfra();
  const client = await MongoClient.connect(mongoUrl);
  for (const database of [...free.values()].flat()) await dropCollections(client.db(database));
  await client.close();
}

async function shapeOf(db: Db): Promise<{ shape: string; documents: number }> {
  const { collections, indexes, objects } = await db.stats();
  return { shape: `${collections} collections, ${indexes} indexes`, documents: Number(objects) };
}

/**
 * Dropping the database would lock all of MongoDB 4.0 until the transactions of all other tests have ended. Dropping its collections
 * locks only this database, and removes it.
 */
async function dropCollections(db: Db): Promise<void> {
  prepared.delete(db.databaseName);
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) await db.dropCollection(name);
}
