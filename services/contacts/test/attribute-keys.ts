import type { Parts } from '@mp/service-kit/service-parts';
import type { Client } from '@mp/test-kit/client';

type Database = Pick<Parts, 'mongo'>;

/** The number of attribute keys the account uses. */
export const attributeKeys = ({ mongo }: Database, { accountId }: Client) =>
  mongo.db.collection('attributes').countDocuments({ account_id: accountId });

/** Fills the account's attribute keys up to the limit, leaving room for `left` more. */
export async function fillAttributeKeys(database: Database, account: Client, left = 0) {
  const missing = 1_000 - left - (await attributeKeys(database, account));
  const names = Array.from({ length: missing }, (_, index) => `key${index}`);
  const contacts = [];
  for (let from = 0; from < names.length; from += 200) {
    const attributes = Object.fromEntries(names.slice(from, from + 200).map((name) => [name, 1]));
    contacts.push({ email: `keys${from}@example.com`, attributes });
  }
  await account.post('/v2/contacts/batch', { contacts });
}
