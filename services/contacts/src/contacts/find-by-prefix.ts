import { emailKey } from '@mp/contracts/contact';
import type { Pagination } from '@mp/contracts/envelope';
import type { Cursors } from '@mp/service-kit/cursor';
import type { Collection, Filter } from 'mongodb';
import { type ContactDocument, searchedName } from './contact-document.ts';

type PrefixRequest = {
  prefix: string;
  limit: number;
  cursor: string | undefined;
  cursors: Cursors;
  boundTo: unknown;
};

/** The most rows read at once when most of them were already returned by email. */
const maxRowsPerRead = 200;

/**
 * Contacts whose email starts with the prefix, ordered by email, then those whose name does, ordered by name. Each is
 * returned once: a contact found by both indexes is skipped in the second. Reading all pages reads no row more than twice.
 */
export async function findByPrefix(
  contacts: Collection<ContactDocument>,
  accountId: string,
  { prefix, limit, cursor, cursors, boundTo }: PrefixRequest,
): Promise<{ items: ContactDocument[]; pagination: Pagination }> {
  const emailPrefix = emailKey(prefix);
  const namePrefix = searchedName(prefix);
  const byEmail = ({ email_key = '' }: ContactDocument) => email_key.startsWith(emailPrefix);
  const from = cursor === undefined ? undefined : cursors.decode(boundTo, cursor);
  const items: ContactDocument[] = [];

  if (from === undefined || from.value === null) {
    const after = from?.id ?? '';
    const rows = await contacts
      .find({ account_id: accountId, email_key: { ...(after ? { $gt: after } : { $gte: emailPrefix }), $lt: endOf(emailPrefix) } })
      .sort({ email_key: 1 })
      .limit(limit + 1)
      .hint('email')
      .toArray();
    items.push(...rows);
  }

  let after = typeof from?.value === 'string' ? { name: from.value, id: from.id } : undefined;
  for (let round = 0; items.length <= limit; round += 1) {
    const wanted = Math.min(maxRowsPerRead, (limit + 1 - items.length) * 2 ** round);
    const end = endOf(namePrefix);
    const beyond: Filter<ContactDocument>[] = after
      ? [
          { account_id: accountId, name_key: after.name, _id: { $gt: after.id } },
          { account_id: accountId, name_key: { $gt: after.name, $lt: end } },
        ]
      : [{ account_id: accountId, name_key: { $gte: namePrefix, $lt: end } }];
    const rows = await contacts.find({ $or: beyond }).sort({ name_key: 1, _id: 1 }).limit(wanted).hint('name').toArray();
    items.push(...rows.filter((row) => !byEmail(row)));
    const last = rows.at(-1);
    if (rows.length < wanted || !last) break;
    after = { name: last.name_key ?? '', id: last._id };
  }

  const shown = items.slice(0, limit);
  const last = items.length > limit ? shown.at(-1) : undefined;
  const position = last && (byEmail(last) ? { value: null, id: last.email_key ?? '' } : { value: last.name_key ?? '', id: last._id });
  return {
    items: shown,
    pagination: { limit, has_more: last !== undefined, next_cursor: position ? cursors.encode(boundTo, position) : null },
  };
}

/** The first text after all texts with this prefix. */
const endOf = (prefix: string) => `${prefix}\u{10ffff}`;
