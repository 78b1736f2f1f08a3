import { MongoClient } from 'mongodb';
import { runningHolders } from './state.ts';

/** Drops the databases of killed test runs, unless another run uses the same server. Returns how many. */
export async function dropLeftovers(dir: string, url: string): Promise<number> {
  if (runningHolders(dir).some(({ pid }) => pid !== process.pid)) return 0;
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
