import type { Pagination } from '@mp/contracts/envelope';
import { contactId } from '@mp/contracts/ids';
import { type AccountId, trustedId } from '@mp/ids';
import type { Cursors } from '@mp/service-kit/cursor';
import type { Collection, Filter } from 'mongodb';
import { z } from 'zod';
import type { ContactDocument } from './contact-document.ts';

type WordsRequest = {
  words: readonly string[];
  /** The other filters, without the account. */
  where: Filter<ContactDocument>;
  limit: number;
  cursor: string | undefined;
  cursors: Cursors;
  boundTo: unknown;
};

export const searchWordsIndex = { account_id: 1, search_words: 1, _id: 1 } as const;

/** The maximum number of index entries one request reads, so that a search with few matches gets shorter pages instead of longer waits. */
const maxScannedWords = 5_000;
const maxPerRead = 1_000;

/** An entry of the index. MongoDB returns entries as they are stored, without reading their contacts. */
const Entry = z.object({ search_words: z.string(), _id: contactId });
type Entry = z.output<typeof Entry>;

/**
 * Contacts that have, for each of the words, a word that begins with it. They are in the order of the matching word; each is
 * returned once, at its first. The rarest of the words is read from the index, and its contacts are checked for the others.
 */
export async function findByWords(
  contacts: Collection<ContactDocument>,
  accountId: AccountId,
  { words, where, limit, cursor, cursors, boundTo }: WordsRequest,
): Promise<{ items: ContactDocument[]; pagination: Pagination }> {
  const from = cursor === undefined ? undefined : positionOf(cursors.decode(boundTo, cursor));
  const read = from?.read ?? (await rarest(contacts, accountId, words));
  const prefix = words[read];
  if (prefix === undefined) return { items: [], pagination: { limit, has_more: false, next_cursor: null } };

  const found: { row: ContactDocument; entry: Entry }[] = [];
  let last: Entry | undefined = from?.entry;
  let scanned = 0;
  let ended = false;
  for (let round = 0; found.length <= limit && scanned < maxScannedWords && !ended; round += 1) {
    const wanted = Math.min((limit + 1 - found.length) * 2 ** round, maxPerRead, maxScannedWords - scanned);
    const entries = await entriesAfter(contacts, accountId, { prefix, after: last, limit: wanted });
    const ids = [...new Set(entries.map(({ _id }) => _id))];
    const rows = ids.length === 0 ? [] : await contacts.find({ $and: [{ account_id: accountId, _id: { $in: ids } }, where] }).toArray();
    const rowOf = new Map(rows.map((row) => [row._id, row]));
    for (const entry of entries) {
      const row = rowOf.get(entry._id);
      const own = row?.search_words ?? [];
      if (!row || firstWith(prefix, own) !== entry.search_words) continue;
      if (words.every((word) => own.some((one) => one.startsWith(word)))) found.push({ row, entry });
    }
    scanned += entries.length;
    ended = entries.length < wanted;
    last = entries.at(-1) ?? last;
  }

  const shown = found.slice(0, limit);
  const next = found.length > limit ? shown.at(-1)?.entry : ended ? undefined : last;
  return {
    items: shown.map(({ row }) => row),
    pagination: {
      limit,
      has_more: next !== undefined,
      next_cursor: next ? cursors.encode(boundTo, { value: `${read} ${next.search_words}`, id: next._id }) : null,
    },
  };
}

/** Entries of words with this prefix, in index order: `min` and `max` make it one range of this index. */
async function entriesAfter(
  contacts: Collection<ContactDocument>,
  accountId: AccountId,
  { prefix, after, limit }: { prefix: string; after: Entry | undefined; limit: number },
): Promise<Entry[]> {
  const keys = await contacts
    .find({}, { returnKey: true })
    .min({ account_id: accountId, search_words: after?.search_words ?? prefix, _id: after ? firstIdAfter(after._id) : '' })
    .max({ account_id: accountId, search_words: endOf(prefix), _id: '' })
    .hint(searchWordsIndex)
    .limit(limit)
    .toArray();
  return keys.map((key) => Entry.parse(key));
}

/** The index of the word with the fewest entries, counting up to a thousand; if several have as few, that of the longest. */
async function rarest(contacts: Collection<ContactDocument>, accountId: AccountId, words: readonly string[]): Promise<number> {
  if (words.length <= 1) return 0;
  const counted = await Promise.all(
    words.map(async (word, index) => ({
      index,
      length: word.length,
      count: (await entriesAfter(contacts, accountId, { prefix: word, after: undefined, limit: maxPerRead })).length,
    })),
  );
  return counted.toSorted((a, b) => a.count - b.count || b.length - a.length)[0]?.index ?? 0;
}

/** The first word with this prefix in the order of the index, which compares bytes. */
function firstWith(prefix: string, words: readonly string[]): string | undefined {
  const [first, ...others] = words.filter((word) => word.startsWith(prefix));
  return others.reduce((least, word) => (Buffer.compare(Buffer.from(word), Buffer.from(least ?? word)) < 0 ? word : least), first);
}

function positionOf({ value, id }: { value: unknown; id: string }) {
  const text = String(value);
  const space = text.indexOf(' ');
  return { read: Number(text.slice(0, space)), entry: { search_words: text.slice(space + 1), _id: trustedId<'contact'>(id) } };
}

const firstIdAfter = (id: string) => `${id}\0`;

/** The first text after all texts with this prefix. */
const endOf = (prefix: string) => `${prefix}\u{10ffff}`;
