import type { AccountId } from '@mp/ids';
import { MongoServerError } from 'mongodb';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import type { Attribute, AttributesStore } from './attributes-store.ts';

const freshMs = 60_000;
/** The time one request may use for counting; keys it does not reach keep their earlier count. */
const budgetMs = 1_000;

/** Refreshes counts older than a minute, oldest first, within the time budget. */
export async function countAttributes(
  { attributes, contacts }: { attributes: AttributesStore; contacts: ContactsStore },
  accountId: AccountId,
  shown: readonly Attribute[],
  now = Date.now(),
): Promise<Attribute[]> {
  const counted = new Map<string, { count: number; counted_at: Date }>();
  const stale = shown.filter(({ counted_at }) => (counted_at?.getTime() ?? 0) < now - freshMs);
  for (const { key } of stale.toSorted((a, b) => (a.counted_at?.getTime() ?? 0) - (b.counted_at?.getTime() ?? 0))) {
    const left = now + budgetMs - Date.now();
    if (left <= 0) break;
    const count = await contacts.countWithAttribute(accountId, key, left).catch(unlessOutOfTime);
    if (count === undefined) break;
    const at = new Date();
    counted.set(key, { count, counted_at: at });
    await attributes.keepCount(accountId, key, count, at);
  }
  return shown.map((attribute) => ({ ...attribute, ...counted.get(attribute.key) }));
}

const maxTimeExpired = 50;

function unlessOutOfTime(error: unknown): undefined {
  if (error instanceof MongoServerError && error.code === maxTimeExpired) return undefined;
  throw error;
}
