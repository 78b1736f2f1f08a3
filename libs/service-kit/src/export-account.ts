import { once } from 'node:events';
import type { AccountId } from '@mp/ids';
import { createAccountData } from './account-data.ts';
import type { Parts } from './service-parts.ts';

/**
 * Prints everything the service stores about an account to standard output as JSON lines: `kind` is the collection, and the last line
 * has the number of documents, so that an incomplete export is noticed.
 */
export async function exportAccount({ mongo, name }: Pick<Parts, 'mongo' | 'name'>, accountId: AccountId) {
  const write = async (line: object) => {
    if (!process.stdout.write(`${JSON.stringify(line)}\n`)) await once(process.stdout, 'drain');
  };
  try {
    await mongo.start(() => undefined);
    let documents = 0;
    for await (const { collection, document } of createAccountData(mongo).read(accountId)) {
      documents += 1;
      await write({ service: name, kind: collection, document });
    }
    await write({ service: name, kind: 'exported', account_id: accountId, documents, at: new Date().toISOString() });
  } finally {
    await mongo.stop();
  }
}
