import { type Document, MongoClient } from 'mongodb';

export type DatabaseCopy = Map<string, Document[]>;

/** All documents of these databases at one point in time, like `mongodump --oplog` or a volume snapshot. */
export async function copyDatabases(url: string, names: readonly string[]): Promise<DatabaseCopy> {
  const client = new MongoClient(url);
  try {
    const collections: string[][] = [];
    for (const name of names) {
      const found = await client.db(name).listCollections({}, { nameOnly: true }).toArray();
      collections.push(...found.map((collection) => [name, collection.name]));
    }
    return await client.withSession((session) =>
      session.withTransaction(
        async () => {
          const copy: DatabaseCopy = new Map();
          for (const [name, collection = ''] of collections)
            copy.set(`${name}.${collection}`, await client.db(name).collection(collection).find({}, { session }).toArray());
          return copy;
        },
        { readConcern: { level: 'snapshot' } },
      ),
    );
  } finally {
    await client.close();
  }
}

/** Restores the databases to the copy, without anything written since. */
export async function restoreDatabases(url: string, names: readonly string[], copy: DatabaseCopy) {
  const client = new MongoClient(url);
  try {
    for (const name of names) {
      for (const { name: collection } of await client.db(name).listCollections({}, { nameOnly: true }).toArray()) {
        await client.db(name).collection(collection).deleteMany({});
        const documents = copy.get(`${name}.${collection}`) ?? [];
        if (documents.length > 0) await client.db(name).collection(collection).insertMany(documents);
      }
    }
  } finally {
    await client.close();
  }
}
