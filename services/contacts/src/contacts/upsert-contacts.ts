import { type Contact, emailKey } from '@mp/contracts/contact';
import { ApiError, type ErrorCode } from '@mp/contracts/errors';
import { isDuplicateKey, type Mongo, type Origin, type Transaction } from '@mp/service-kit/mongo';
import type { AttributeTypes } from '../attributes/attribute-type.ts';
import { consentsAtMerge, dateRepeats } from '../consent/date-repeats.ts';
import type { MergesStore } from '../merges/merges-store.ts';
import type { AccountFacts, LoadFacts } from './account-facts.ts';
import { changeContact, type Entrance, newContact } from './contact.ts';
import { type ContactChange, CreateContactBody, type Identity, identities, identitiesTried, type MatchOn } from './contact-body.ts';
import type { ContactsStore } from './contacts-store.ts';
import { draftBytes, writtenBytesMax } from './draft-bytes.ts';
import { changedDraft, createdDraft, type Draft, hasNews, type SaveContacts } from './save-contacts.ts';

export type UpsertResult =
  | { index: number; status: 'created' | 'updated' | 'unchanged'; id: string }
  | { index: number; status: 'error'; error: RowError };

/** What is wrong with a row; of several faults the first, and `all` of them. */
export type RowError = { code: ErrorCode; message: string; path?: string; all?: readonly RowFault[] };
export type RowFault = { path: string; message: string };

export type UpsertRow = { index: number; body: ContactChange };

const chunkRows = 500;
const chunkBytes = 3 * 1024 * 1024;

/** A small change of a large contact writes all of it. */
class TooLargeTogether extends Error {}

export type UpsertContacts = ReturnType<typeof createUpsertContacts>['upsertContacts'];
export type UpsertChunk = ReturnType<typeof createUpsertContacts>['upsertChunk'];

type Parts = { mongo: Mongo; contacts: ContactsStore; merges: MergesStore; loadFacts: LoadFacts; saveContacts: SaveContacts };

/** How a chunk of rows is written. */
export type ChunkOptions = {
  matchOn: MatchOn;
  entrance: Entrance;
  /** The types that attributes are to have which the account does not know yet. */
  stated?: AttributeTypes;
  /** Finds out what would become of the rows, and writes nothing. */
  dryRun?: boolean;
  /** Does not look for contacts that exist: where a row meets one after all, the duplicate key is thrown. */
  takenForNew?: boolean;
};

export function createUpsertContacts({ mongo, contacts, merges, loadFacts, saveContacts }: Parts) {
  /**
   * One transaction's worth of rows, in the caller's transaction. Throws a duplicate key when somebody was faster: do it
   * again; and what `inHalves` answers when the contacts are too large to be written at once, or stay duplicates.
   */
  async function upsertChunk(
    tx: Transaction,
    accountId: string,
    rows: readonly UpsertRow[],
    { matchOn, entrance, stated, dryRun = false, takenForNew = false }: ChunkOptions,
  ): Promise<UpsertResult[]> {
    const bodies = rows.map(({ body }) => body);
    const [existing, factsOfRows] = await Promise.all([
      takenForNew ? [] : contacts.findByIdentities(tx, accountId, bodies),
      loadFacts(accountId, bodies, stated),
    ]);
    const facts = factsOfRows.cover(existing) ? factsOfRows : await loadFacts(accountId, [...existing, ...bodies], stated);
    const ids = existing.map(({ id }) => id);
    const said = bodies.map(({ consent }) => consent);
    const atMerge = await consentsAtMerge(merges, tx, accountId, ids, said);
    const known = createKnown(existing, atMerge);
    const results = rows.map((row) => apply(known, facts, matchOn, entrance, row));
    if (dryRun) return results;
    const drafts = known.drafts();
    const bytes = drafts.reduce((sum, draft) => sum + draftBytes(draft), 0);
    if (rows.length > 1 && bytes > writtenBytesMax) throw new TooLargeTogether();
    await saveContacts(tx, accountId, facts, drafts, { onDuplicate: 'again' });
    return results;
  }

  /**
   * Creates or updates the contact of each row, order kept: a later row of the same contact works on what the
   * earlier one made of it. A wrong row fails alone; the others are written in transactions of up to 500 rows.
   */
  async function upsertContacts({
    accountId,
    origin,
    matchOn,
    items,
  }: {
    accountId: string;
    origin: Origin;
    matchOn: MatchOn;
    items: readonly unknown[];
  }): Promise<UpsertResult[]> {
    const results: UpsertResult[] = [];
    const rows: UpsertRow[] = [];
    for (const [index, item] of items.entries()) {
      const row = checkRow(index, item, matchOn);
      if ('error' in row) results.push(row);
      else rows.push(row);
    }
    const write = (part: readonly UpsertRow[]) =>
      againOnDuplicate(() => mongo.transaction(origin, (tx) => upsertChunk(tx, accountId, part, { matchOn, entrance: 'api' })));
    const writePart = async (part: readonly UpsertRow[]) => void results.push(...(await write(part)));
    const refuse = async ({ index }: UpsertRow) => void results.push(duplicate(index));
    for (const chunk of chunksOf(rows)) await inHalves(chunk, writePart, refuse);
    return results.sort((a, b) => a.index - b.index);
  }

  return { upsertContacts, upsertChunk };
}

/** Somebody may create one of these contacts between our look and our write: then look again. */
export async function againOnDuplicate<Result>(work: (attempt: number) => Promise<Result>): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!isDuplicateKey(error) || attempt === 5) throw error;
    }
  }
}

/**
 * Writes rows in their order: all at once, or in halves, and halves of those, when they are too large together or one of
 * them goes on meeting a contact it cannot see. That one is refused, and the others are written.
 */
export async function inHalves<Row>(
  rows: readonly Row[],
  write: (part: readonly Row[]) => Promise<void>,
  refuse: (row: Row) => Promise<void>,
): Promise<void> {
  try {
    await write(rows);
  } catch (error) {
    if (!(error instanceof TooLargeTogether) && !isDuplicateKey(error)) throw error;
    const [only, ...more] = rows;
    if (only && more.length === 0) return refuse(only);
    const middle = Math.ceil(rows.length / 2);
    await inHalves(rows.slice(0, middle), write, refuse);
    await inHalves(rows.slice(middle), write, refuse);
  }
}

export type FailedRow = Extract<UpsertResult, { status: 'error' }>;

export function checkRow(index: number, item: unknown, matchOn: MatchOn): UpsertRow | FailedRow {
  const body = CreateContactBody.safeParse(item);
  if (body.error) {
    const all = body.error.issues.map(({ path, message }) => ({ path: `/${path.join('/')}`, message }));
    const [first, ...others] = all;
    const fault = failed(index, 'VALIDATION_ERROR', first?.message ?? 'invalid', first?.path);
    return others.length > 0 ? { ...fault, error: { ...fault.error, all } } : fault;
  }
  const { data } = body;
  if (identitiesTried(matchOn).every((name) => data[name] == null))
    return failed(index, 'VALIDATION_ERROR', `${matchOn} is needed, because rows are matched on it.`, `/${matchOn}`);
  return { index, body: data };
}

/**
 * The contacts of a chunk as they are before and while its rows are applied, by each identity; and the consent of those
 * that are several, as it was `atMerge`.
 */
function createKnown(existing: readonly Contact[], atMerge: ReadonlyMap<string, Contact['consent']>) {
  const byIdentity = new Map<string, Contact>();
  const drafts = new Map<string, Draft>();
  /** Identities that were given up, each with the contact that had it; and the contacts of which one was taken. */
  const givenUp = new Map<string, string>();
  const takenFrom = new Set<string>();
  const keysOf = (contact: Contact | ContactChange) =>
    identities.flatMap((name) => (contact[name] == null ? [] : [keyOf(name, contact[name])]));
  for (const contact of existing) for (const key of keysOf(contact)) byIdentity.set(key, contact);

  return {
    atMerge: (contact: Contact) => atMerge.get(contact.id),
    /** The contact that the row is about, by the first of these identities that finds one. */
    find: (row: ContactChange, names: readonly Identity[]) =>
      names.map((name) => (row[name] == null ? undefined : byIdentity.get(keyOf(name, row[name])))).find(Boolean),
    /** Another contact that already has one of these identities. */
    holder: (contact: Contact) =>
      keysOf(contact)
        .map((key) => byIdentity.get(key))
        .find((holder) => holder && holder.id !== contact.id),
    put(before: Contact | undefined, draft: Draft) {
      for (const key of before ? keysOf(before) : []) byIdentity.delete(key);
      for (const key of keysOf(draft.contact)) {
        byIdentity.set(key, draft.contact);
        const giver = givenUp.get(key);
        if (giver !== undefined) takenFrom.add(giver);
      }
      for (const name of identities)
        if (before?.[name] != null && draft.changed.includes(name)) givenUp.set(keyOf(name, before[name]), before.id);
      const earlier = drafts.get(draft.contact.id);
      drafts.set(draft.contact.id, {
        contact: draft.contact,
        isNew: earlier?.isNew ?? draft.isNew,
        changed: [...new Set([...(earlier?.changed ?? []), ...draft.changed])],
        consents: [...(earlier?.consents ?? []), ...draft.consents],
        ...(draft.isLogOnly && (!earlier || earlier.isLogOnly) && { isLogOnly: true }),
      });
    },
    drafts: () => {
      const all = [...drafts.values()];
      return takenFrom.size === 0 ? all : all.map((draft) => ({ ...draft, givesWay: takenFrom.has(draft.contact.id) }));
    },
  };
}

const keyOf = (name: Identity, value: string) => `${name} ${name === 'email' ? emailKey(value) : value}`;

function apply(
  known: ReturnType<typeof createKnown>,
  facts: AccountFacts,
  matchOn: MatchOn,
  entrance: Entrance,
  { index, body }: UpsertRow,
): UpsertResult {
  const before = known.find(body, identitiesTried(matchOn));
  try {
    const consent = before ? dateRepeats(before.consent, body.consent, known.atMerge(before)) : body.consent;
    const { contact, changed } = before
      ? changeContact(before, { ...body, consent }, facts, { entrance })
      : { contact: newContact(body, facts, { entrance }), changed: [] };
    const draft = before ? changedDraft(before, contact, changed, consent, entrance) : createdDraft(contact, consent);
    if (before && !hasNews(draft)) return { index, status: 'unchanged', id: before.id };
    const holder = known.holder(contact);
    if (holder) return failed(index, 'CONFLICT', `Another contact already has its email, phone or external_id: ${holder.id}.`);
    known.put(before, draft);
    facts.learn(contact.attributes);
    return { index, status: !before ? 'created' : changed.length > 0 ? 'updated' : 'unchanged', id: contact.id };
  } catch (error) {
    if (error instanceof ApiError) return failed(index, error.code, error.message, error.details?.[0]?.path);
    throw error;
  }
}

const failed = (index: number, code: ErrorCode, message: string, path?: string): FailedRow => ({
  index,
  status: 'error',
  error: { code, message, ...(path && { path }) },
});

/** Said of a row alone when all else was tried: what it meets is not seen by looking for it. */
export const duplicate = (index: number) => failed(index, 'CONFLICT', 'Another contact already has its email, phone or external_id.');

function* chunksOf(rows: readonly UpsertRow[]): Generator<UpsertRow[]> {
  let chunk: UpsertRow[] = [];
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
