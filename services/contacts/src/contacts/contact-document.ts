import { createHash } from 'node:crypto';
import { type Contact, emailKey } from '@mp/contracts/contact';
import type { AccountId, ContactId } from '@mp/ids';
import { fold } from '@mp/rules/text';
import { searchWordsOf } from './search-words.ts';

/** A contact as it is stored: its fields, and the derived values that are indexed. */
export type ContactDocument = Omit<Contact, 'id' | 'created_at' | 'updated_at' | 'last_seen_at'> & {
  _id: ContactId;
  account_id: AccountId;
  /** The normalised email and its domain; absent without an email. */
  email_key?: string;
  email_domain?: string;
  /** The words that `q` finds, from searchWordsOf. */
  search_words: string[];
  /** Indexed by earlier versions. */
  name_key?: string;
  tag_keys: string[];
  /** Every attribute as `key` and as `key=value`, so that one index serves all keys. */
  attribute_pairs: string[];
  created_at: Date;
  updated_at: Date;
  last_seen_at: Date | null;
  /** The ids of contacts that were merged into this one; they now refer to it. */
  merged_ids?: ContactId[];
};

/** Without empty addresses: the partial index has none, so a query for one could not use it. */
export const emailKeys = (emails: readonly string[]) => emails.map(emailKey).filter(Boolean);

/** MongoDB 4.0 limits an index entry to 1,024 bytes; longer values are indexed by their hash. */
const maxIndexedBytes = 400;

/** The index entry for one attribute value. */
export function attributePair(key: string, value: unknown): string {
  const folded = fold(String(value));
  if (Buffer.byteLength(folded) <= maxIndexedBytes) return `${key}=${folded}`;
  return `${key}=#${createHash('sha256').update(folded).digest('base64url')}`;
}

/** Derived fields that not every contact has; absent ones are unset when a contact is replaced. */
export const optionalFields = ['email_key', 'email_domain', 'name_key'] as const;

export function documentOf(accountId: AccountId, contact: Contact): ContactDocument {
  const { id, created_at, updated_at, last_seen_at, ...members } = contact;
  const key = members.email === null ? undefined : emailKey(members.email);
  return {
    _id: id,
    account_id: accountId,
    ...members,
    ...(key !== undefined && { email_key: key, email_domain: key.slice(key.lastIndexOf('@') + 1) }),
    search_words: searchWordsOf(contact),
    tag_keys: [...new Set(members.tags.map(fold))],
    attribute_pairs: Object.entries(members.attributes).flatMap(([name, value]) => [
      name,
      ...new Set([value].flat().map((one) => attributePair(name, one))),
    ]),
    created_at: new Date(created_at),
    updated_at: new Date(updated_at),
    last_seen_at: last_seen_at === null ? null : new Date(last_seen_at),
  };
}

export function contactOf({
  _id,
  account_id,
  email_key,
  email_domain,
  search_words,
  name_key,
  tag_keys,
  attribute_pairs,
  merged_ids,
  created_at,
  updated_at,
  last_seen_at,
  ...members
}: ContactDocument): Contact {
  return {
    id: _id,
    ...members,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
    last_seen_at: last_seen_at?.toISOString() ?? null,
  };
}
