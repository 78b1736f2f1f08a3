import { MongoClient } from 'mongodb';
import { livingHolders } from './state.ts';

/** Drops the databases of test runs that were killed before they could, unless another run is using the same server. */
export async function dropLeftovers(dir: string, url: string): Promise<number> {
  if (livingHolders(dir).some(({ pid }) => pid !== process.pid)) return 0;
  const client = new MongoClient(url);
  try {
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
    const leftovers = databases.filter(({ name }) => name.startsWith('test_'));
    for (const { name } of leftovers) await client.db(name).dropDatabase();
    return leftovers.length;
  } finally {
    await client.close();
  }
}
