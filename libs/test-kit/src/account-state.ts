import type { AccountId } from '@mp/ids';
import type { Db } from 'mongodb';
import { writtenEvents } from './written-events.ts';

type Compared = {
  accountIds: readonly AccountId[];
  collections: readonly string[];
  /** Fields, at any depth, that differ by chance, such as generated ids and write times. */
  without: readonly string[];
};

/** What a service has stored and published about these accounts: rows and fields in an order that does not depend on that of its writes. */
export async function accountState(db: Db, { accountIds, collections, without }: Compared) {
  const comparable = (rows: readonly unknown[]) =>
    rows.map((row) => JSON.stringify(row, (name, value) => (without.includes(name) ? undefined : inOrder(value)))).sort();
  const ofAccounts = { account_id: { $in: [...accountIds] } };
  const state: Record<string, string[]> = {};
  for (const name of collections)
    state[name] = comparable(
      await db
        .collection(name)
        .find(ofAccounts, { sort: { _id: 1 } })
        .toArray(),
    );
  const events = (await writtenEvents(db)).filter(({ envelope }) => accountIds.includes(envelope.account_id));
  state.published = comparable(events.map(({ envelope: { id, time, ...envelope } }) => envelope));
  return state;
}

/** A field that was cleared and set again is the last of its document. */
const inOrder = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;
