import type { ConsentStatus } from '@mp/contracts/contact';
import { ApiError, type ErrorCode } from '@mp/contracts/errors';
import type { AccountId, ContactId } from '@mp/ids';
import { ambiguityIn } from '@mp/service-kit/ambiguous-json';
import type { Mongo, Origin, Transaction } from '@mp/service-kit/mongo';
import type { AttributeTypes } from '../attributes/attribute-type.ts';
import { consentsAtMerge, dateRepeatedConsents } from '../consent/date-repeated-consents.ts';
import type { MergesStore } from '../merges/merges-store.ts';
import type { AccountContext, LoadContext } from './account-context.ts';
import { changeContact, type Entrance, newContact } from './contact.ts';
import { type ContactChange, CreateContactBody } from './contact-body.ts';
import type { ContactsStore } from './contacts-store.ts';
import { draftBytes, maxWrittenBytes } from './draft-bytes.ts';
import { createKnown } from './known-contacts.ts';
import { contradicted, contradiction, type Matching, type MatchOn, matchedOn, spelledAs } from './matching.ts';
import { inHalves, retryOnDuplicate, TooLargeTogether } from './retry-writes.ts';
import { changedDraft, createdDraft, hasNews, type SaveContacts } from './save-contacts.ts';

export type UpsertResult =
  | { index: number; status: 'created' | 'updated' | 'unchanged'; id: ContactId }
  | { index: number; status: 'error'; error: RowError };

/** Why a row failed: the first fault, and `all` faults if there are several. */
export type RowError = { code: ErrorCode; message: string; path?: string; all?: readonly RowFault[] };
export type RowFault = { path: string; message: string };

export type UpsertRow = { index: number; body: ContactChange };

const chunkRows = 500;
const chunkBytes = 3 * 1024 * 1024;

export type UpsertContacts = ReturnType<typeof createUpsertContacts>['upsertContacts'];
export type UpsertChunk = ReturnType<typeof createUpsertContacts>['upsertChunk'];

type Parts = { mongo: Mongo; contacts: ContactsStore; merges: MergesStore; loadContext: LoadContext; saveContacts: SaveContacts };

export type ChunkOptions = {
  matching: Matching;
  entrance: Entrance;
  /** The email consent of contacts created without one; defaults to the account's. */
  defaultConsent?: ConsentStatus | undefined;
  /** The types for attribute keys that are new to the account. */
  stated?: AttributeTypes;
  /** Returns the results the rows would have, and writes nothing. */
  dryRun?: boolean;
  /** Skips the lookup of existing contacts. If a row conflicts with one after all, throws the duplicate key error. */
  assumeNew?: boolean;
};

export function createUpsertContacts({ mongo, contacts, merges, loadContext, saveContacts }: Parts) {
  /**
   * Writes a chunk of rows in the caller's transaction. Throws a duplicate key error if a contact was created concurrently:
   * retry. Throws TooLargeTogether if the contacts are too large for one transaction; `inHalves` handles both.
   */
  async function upsertChunk(
    tx: Transaction,
    accountId: AccountId,
    rows: readonly UpsertRow[],
    { matching, entrance, defaultConsent, stated, dryRun = false, assumeNew = false }: ChunkOptions,
  ): Promise<UpsertResult[]> {
    const bodies = rows.map(({ body }) => body);
    const [existing, contextOfRows] = await Promise.all([
      assumeNew ? [] : contacts.findByIdentities(tx, accountId, bodies),
      loadContext(accountId, bodies, stated),
    ]);
    const loaded = contextOfRows.cover(existing) ? contextOfRows : await loadContext(accountId, [...existing, ...bodies], stated);
    const context = { ...loaded, defaultConsent: defaultConsent ?? loaded.defaultConsent };
    const ids = existing.map(({ id }) => id);
    const said = bodies.map(({ consent }) => consent);
    const atMerge = await consentsAtMerge(merges, tx, accountId, { ids, bodies: said });
    const known = createKnown(existing, atMerge);
    const results = rows.map((row) => apply(known, context, row, { ...matching, entrance }));
    if (dryRun) return results;
    const drafts = known.drafts();
    const bytes = drafts.reduce((sum, draft) => sum + draftBytes(draft), 0);
    if (rows.length > 1 && bytes > maxWrittenBytes) throw new TooLargeTogether();
    await saveContacts(tx, accountId, { context, drafts, onDuplicate: 'again' });
    return results;
  }

  /**
   * Creates or updates the contact of each row, in order: a later row of the same contact builds on the earlier one.
   * An invalid row does not affect the others, which are written in transactions of up to 500 rows.
   */
  async function upsertContacts({
    accountId,
    origin,
    matching,
    items,
  }: {
    accountId: AccountId;
    origin: Origin;
    matching: Matching;
    items: readonly unknown[];
  }): Promise<UpsertResult[]> {
    const results: UpsertResult[] = [];
    const rows: UpsertRow[] = [];
    for (const [index, item] of items.entries()) {
      const row = checkRow(index, item, matching.matchOn);
      if ('error' in row) results.push(row);
      else rows.push(row);
    }
    const write = (part: readonly UpsertRow[]) =>
      retryOnDuplicate(() => mongo.transaction(origin, (tx) => upsertChunk(tx, accountId, part, { matching, entrance: 'api' })));
    const writePart = async (part: readonly UpsertRow[]) => void results.push(...(await write(part)));
    const refuse = async ({ index }: UpsertRow) => void results.push(duplicate(index));
    for (const chunk of chunksOf(rows)) await inHalves(chunk, writePart, refuse);
    return results.sort((a, b) => a.index - b.index);
  }

  return { upsertContacts, upsertChunk };
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
  const ambiguity = ambiguityIn(item)?.details?.[0];
  if (ambiguity) return failed(index, 'VALIDATION_ERROR', ambiguity.message ?? 'invalid', ambiguity.path);
  const { data } = body;
  if (matchedOn(data, matchOn) === undefined)
    return failed(index, 'VALIDATION_ERROR', `${matchOn} is required, because rows are matched on it.`, `/${matchOn}`);
  return { index, body: data };
}

function apply(
  known: ReturnType<typeof createKnown>,
  context: AccountContext,
  { index, body }: UpsertRow,
  { matchOn, changeIdentifiers, entrance }: Matching & { entrance: Entrance },
): UpsertResult {
  const on = matchedOn(body, matchOn);
  const before = on && known.find(body, on);
  const other = on && before && !changeIdentifiers && contradicted(body, before, on);
  if (other) return failed(index, 'CONFLICT', contradiction(other, on, before.id), `/${other}`);
  try {
    const consent = before ? dateRepeatedConsents(before.consent, body.consent, known.atMerge(before)) : body.consent;
    const { contact, changed } = before
      ? changeContact(before, { ...spelledAs(before, body, on), consent }, context, { entrance })
      : { contact: newContact(body, context, { entrance }), changed: [] };
    const draft = before ? changedDraft(before, contact, { changed, body: consent, entrance }) : createdDraft(contact, consent);
    if (before && !hasNews(draft)) return { index, status: 'unchanged', id: before.id };
    const taken = known.taken(contact);
    if (taken) return failed(index, 'CONFLICT', `Another contact already has this ${taken.name}: ${taken.by}.`, `/${taken.name}`);
    known.put(before, draft);
    context.learn(contact.attributes);
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

/** The result of a row that still conflicts when written alone, although no lookup finds the conflicting contact. */
export const duplicate = (index: number) => failed(index, 'CONFLICT', 'Another contact already has this email, phone or external_id.');

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
