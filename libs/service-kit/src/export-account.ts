import { once } from 'node:events';
import type { AccountId } from '@mp/ids';
import { createAccountDocuments } from './account-documents.ts';
import type { Parts } from './service-parts.ts';

/** Credentials, and responses stored for retries. */
const notExported = new Set([
  ...['sessions', 'oauth_tokens', 'oauth_codes', 'sign_in_links', 'sign_in_steps', 'recovery_codes', 'single_sign_on_states'],
  'idempotency_claims',
]);

/** Hashed or sealed: of no use to anyone outside the platform. */
const secrets = new Set([
  'secret',
  'secrets',
  'sealed_secret',
  'private_key',
  'password',
  'api_keys.hash',
  'oauth_grants.hashes',
  'webhooks.headers',
]);

const withoutSecrets = (collection: string, document: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(document).filter(([name]) => !secrets.has(name) && !secrets.has(`${collection}.${name}`)));

/** Reads the account's documents without secrets, one collection after the other. */
async function* read(mongo: Parts['mongo'], accountId: AccountId) {
  const documents = createAccountDocuments(mongo);
  for (const collection of (await documents.collections()).toSorted()) {
    if (notExported.has(collection)) continue;
    for await (const document of documents.find(collection, accountId))
      yield { collection, document: withoutSecrets(collection, document) };
  }
}

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
    for await (const { collection, document } of read(mongo, accountId)) {
      documents += 1;
      await write({ service: name, kind: collection, document });
    }
    await write({ service: name, kind: 'exported', account_id: accountId, documents, at: new Date().toISOString() });
  } finally {
    await mongo.stop();
  }
}
