import { type Contact, emailKey } from '@mp/contracts/contact';
import { ApiError, type ErrorCode } from '@mp/contracts/errors';
import type { Mongo, Origin } from '@mp/service-kit/mongo';
import { isDuplicateKey } from '@mp/service-kit/mongo';
import { changeContact, newContact } from './contact.ts';
import { type ContactChange, CreateContactBody, identities } from './contact-body.ts';
import type { ContactsStore } from './contacts-store.ts';

export type Identity = (typeof identities)[number];

export type UpsertResult =
  | { index: number; status: 'created' | 'updated' | 'unchanged'; id: string }
  | { index: number; status: 'error'; error: { code: ErrorCode; message: string; path?: string } };

type Row = { index: number; body: ContactChange };

/** A transaction holds at most 16 MiB in MongoDB 4.0; a contact is written as a row and as an event. */
const chunkRows = 500;
const chunkBytes = 3 * 1024 * 1024;

/**
 * Creates or updates each row by one of its identities, order kept: a later row of the same contact works on what the
 * earlier one made of it. A wrong row fails alone; the others are written in transactions of up to 500 rows.
 */
export async function upsertContacts(
  { mongo, contacts }: { mongo: Mongo; contacts: ContactsStore },
  { accountId, origin, matchOn, items }: { accountId: string; origin: Origin; matchOn: Identity; items: readonly unknown[] },
): Promise<UpsertResult[]> {
  const results: UpsertResult[] = [];
  const rows: Row[] = [];
  for (const [index, item] of items.entries()) {
    const body = CreateContactBody.safeParse(item);
    const issue = body.error?.issues[0];
    if (issue) results.push(failed(index, 'VALIDATION_ERROR', issue.message, `/${issue.path.join('/')}`));
    else if (body.data && body.data[matchOn] == null)
      results.push(failed(index, 'VALIDATION_ERROR', `${matchOn} is needed, because rows are matched on it.`, `/${matchOn}`));
    else if (body.data) rows.push({ index, body: body.data });
  }
  for (const chunk of chunksOf(rows)) results.push(...(await writeChunk({ mongo, contacts }, accountId, origin, matchOn, chunk)));
  return results.sort((a, b) => a.index - b.index);
}

async function writeChunk(
  parts: { mongo: Mongo; contacts: ContactsStore },
  accountId: string,
  origin: Origin,
  matchOn: Identity,
  chunk: Row[],
  attempt = 0,
): Promise<UpsertResult[]> {
  try {
    return await parts.mongo.transaction(origin, async (tx) => {
      const known = createKnown(
        await parts.contacts.findByIdentities(
          tx,
          accountId,
          chunk.map(({ body }) => body),
        ),
      );
      const results = chunk.map((row) => apply(known, matchOn, row));
      await parts.contacts.writeMany(tx, accountId, known.written());
      return results;
    });
  } catch (error) {
    // Somebody created one of these contacts between our look and our write: look again.
    if (isDuplicateKey(error) && attempt < 5) return writeChunk(parts, accountId, origin, matchOn, chunk, attempt + 1);
    throw error;
  }
}

export type Written = { contact: Contact; created: boolean; changed: Set<string> };

/** The contacts of a chunk as they are before and while its rows are applied, by each identity. */
function createKnown(existing: readonly Contact[]) {
  const byIdentity = new Map<string, Contact>();
  const written = new Map<string, Written>();
  const keysOf = (contact: Contact | ContactChange) =>
    identities.flatMap((name) => (contact[name] == null ? [] : [keyOf(name, contact[name])]));
  for (const contact of existing) for (const key of keysOf(contact)) byIdentity.set(key, contact);

  return {
    find: (name: Identity, value: string) => byIdentity.get(keyOf(name, value)),
    /** Another contact that already has one of these identities. */
    holder: (contact: Contact) =>
      keysOf(contact)
        .map((key) => byIdentity.get(key))
        .find((holder) => holder && holder.id !== contact.id),
    put(before: Contact | undefined, contact: Contact, changed: readonly string[]) {
      for (const key of before ? keysOf(before) : []) byIdentity.delete(key);
      for (const key of keysOf(contact)) byIdentity.set(key, contact);
      const earlier = written.get(contact.id);
      written.set(contact.id, {
        contact,
        created: earlier?.created ?? before === undefined,
        changed: new Set([...(earlier?.changed ?? []), ...changed]),
      });
    },
    written: () => [...written.values()],
  };
}

const keyOf = (name: Identity, value: string) => `${name} ${name === 'email' ? emailKey(value) : value}`;

function apply(known: ReturnType<typeof createKnown>, matchOn: Identity, { index, body }: Row): UpsertResult {
  const match = body[matchOn];
  const before = match == null ? undefined : known.find(matchOn, match);
  try {
    const { contact, changed } = before ? changeContact(before, body) : { contact: newContact(body), changed: [] };
    if (before && changed.length === 0) return { index, status: 'unchanged', id: before.id };
    const holder = known.holder(contact);
    if (holder) return failed(index, 'CONFLICT', `Another contact already has its email, phone or external_id: ${holder.id}.`);
    known.put(before, contact, changed);
    return { index, status: before ? 'updated' : 'created', id: contact.id };
  } catch (error) {
    if (error instanceof ApiError) return failed(index, error.code, error.message);
    throw error;
  }
}

const failed = (index: number, code: ErrorCode, message: string, path?: string): UpsertResult => ({
  index,
  status: 'error',
  error: { code, message, ...(path && { path }) },
});

function* chunksOf(rows: readonly Row[]): Generator<Row[]> {
  let chunk: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = JSON.stringify(row.body).length;
    if (chunk.length === chunkRows || (chunk.length > 0 && bytes + size > chunkBytes)) {
      yield chunk;
      [chunk, bytes] = [[], 0];
    }
    chunk.push(row);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}
