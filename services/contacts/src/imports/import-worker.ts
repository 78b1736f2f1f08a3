import { setImmediate as nextTurn } from 'node:timers/promises';
import { ImportCompleted } from '@mp/contracts/events/contacts';
import { laneOfJob } from '@mp/contracts/lanes';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo, Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Runner } from '@mp/service-kit/runner';
import type { Suspended } from '@mp/service-kit/suspensions';
import type { AttributesStore } from '../attributes/attributes-store.ts';
import { inHalves, retryOnDuplicate } from '../contacts/retry-writes.ts';
import { duplicate, type UpsertChunk, type UpsertResult } from '../contacts/upsert-contacts.ts';
import { ChunkMissing, type FileChunksStore } from '../files/file-chunks-store.ts';
import { createJobRunner, turnMs } from '../files/job-worker.ts';
import type { AddMembers } from '../segments/segment-members.ts';
import { attributeKeysOf, type CheckedRow, createCheckFileRow } from './check-file-row.ts';
import { ImportFault, type ImportRows, unreadable } from './import.ts';
import type { ImportJob, ImportsStore } from './imports-store.ts';
import { readCsv, readNdjson } from './read-rows.ts';
import type { RowError, RowErrorsStore } from './row-errors-store.ts';

type Parts = {
  mongo: Mongo;
  logger: Logger;
  outbox: Outbox;
  files: FileChunksStore;
  imports: ImportsStore;
  rowErrors: RowErrorsStore;
  attributes: AttributesStore;
  upsertChunk: UpsertChunk;
  addMembers: AddMembers;
  suspended: Suspended;
};

const chunkRows = 500;
const chunkBytes = 2 * 1024 * 1024;
/** Small, so that checking rows does not delay the next step of the chunk that is being written. */
const checkedAtOnce = 20;

class LeaseLost extends Error {}

const fileGone = 'The file expired before all of it was read; send it again. Rows that were already imported are not duplicated.';

/**
 * Processes imports. Each chunk of rows is one transaction with its contacts, their events, the row errors and the progress,
 * so a crash resumes exactly there: no row is lost and none is imported twice. The contacts of a chunk are added to the segment of
 * the import before the next chunk is written, and again after a crash, which changes nothing.
 */
export function createImportRunner(parts: Parts): Runner {
  const { mongo, logger, outbox, files, imports, rowErrors, attributes, upsertChunk, addMembers, suspended } = parts;
  const originOf = (job: ImportJob) => ({
    ...{ correlationId: job.id, causationId: null, lane: laneOfJob(job.rows.read) },
    startsWorkflows: job.start_workflows ?? true,
  });

  async function writeChunk(job: ImportJob, chunk: readonly CheckedRow[]): Promise<ImportJob> {
    let after = job;
    const write = async (part: readonly CheckedRow[]) => {
      after = await writePart(after, part);
    };
    await inHalves(chunk, write, (one) => write([{ ...one, row: duplicate(one.row.index) }]));
    return after;
  }

  async function addToSegment({ id, accountId, add_to_segment_id: segmentId = null, to_add: contactIds = [], ...job }: ImportJob) {
    if (segmentId === null || contactIds.length === 0) return;
    const cause = { by: id, correlationId: id, startWorkflows: job.start_workflows ?? true };
    await addMembers({ accountId, segmentId, contactIds, dryRun: false, ...cause });
  }

  async function writePart(job: ImportJob, part: readonly CheckedRow[]): Promise<ImportJob> {
    await addToSegment(job);
    const good = part.flatMap(({ row }) => ('status' in row ? [] : [row]));
    const bad = part.flatMap(({ row }) => ('status' in row ? [row] : []));
    const offset = part.at(-1)?.end ?? job.offset;
    // Reversed, so that the first one wins if rows state different types.
    const stated = new Map([...new Set(part.map((row) => row.stated))].flatMap((types) => [...types]).reverse());
    // Most files have either only new contacts or mostly existing ones.
    const allNew = job.rows.updated + job.rows.unchanged === 0 && !job.dry_run;
    return retryOnDuplicate((attempt) =>
      mongo.transaction(originOf(job), async (tx) => {
        const assumeNew = allNew && attempt === 0;
        const matching = { matchOn: job.match_on, changeIdentifiers: job.change_identifiers ?? false };
        const defaultConsent = job.default_consent ?? undefined;
        const options = { matching, entrance: 'import', defaultConsent, stated, dryRun: job.dry_run, assumeNew } as const;
        const results = [...bad, ...(await upsertChunk(tx, job.accountId, good, options))];
        const counted = add(job.rows, part.length, results);
        await rowErrors.add(tx, job.accountId, { importId: job.id, found: errorsOf(job, part, results), before: job.rows.failed });
        const written = job.dry_run ? [] : results.flatMap((result) => ('id' in result ? [result.id] : []));
        const to_add = job.add_to_segment_id ? [...new Set(written)] : [];
        if (!(await imports.advance(tx, job, { offset, rows: counted, to_add }))) throw new LeaseLost();
        return { ...job, offset, rows: counted, to_add };
      }),
    );
  }

  async function finish(tx: Transaction, job: ImportJob, status: 'completed' | 'failed', error: { code: string; message: string } | null) {
    const done = await imports.finish(tx, job, status, error);
    if (!done) throw new LeaseLost();
    await outbox.add(tx, ImportCompleted, job.accountId, { import_id: job.id, status, dry_run: job.dry_run, rows: done.rows });
  }

  /** Works for up to `turnMs`. True when the file is done. */
  async function workTurn(claimed: ImportJob, signal: AbortSignal): Promise<boolean> {
    let job = claimed;
    const until = Date.now() + turnMs;
    const checkFileRow = createCheckFileRow(job, await attributes.typesOf(job.accountId, attributeKeysOf(job)));
    const pieces = chunksOf(job);
    const rows = job.format === 'csv' ? readCsv(pieces, job.delimiter, job.offset) : readNdjson(pieces, job.offset);
    // One chunk is written while the next one is read and checked.
    let writing: Promise<void> = Promise.resolve();
    let chunk: CheckedRow[] = [];
    let chunkStart = job.offset;
    const apply = async () => {
      const checked = chunk;
      chunkStart = chunk.at(-1)?.end ?? chunkStart;
      chunk = [];
      await writing;
      writing =
        checked.length > 0
          ? writeChunk(job, checked).then((after) => {
              job = after;
            })
          : Promise.resolve();
      // The next `await writing` throws its error; until then this avoids an unhandled rejection.
      writing.catch(() => undefined);
    };
    try {
      for await (const row of rows) {
        chunk.push(checkFileRow(row, chunk.length));
        if (chunk.length % checkedAtOnce === 0) await nextTurn();
        if (chunk.length < chunkRows && row.end - chunkStart < chunkBytes) continue;
        await apply();
        if (signal.aborted || Date.now() > until || suspended.has(job.accountId)) {
          await writing;
          return false;
        }
      }
      await apply();
    } catch (error) {
      // Rows read before the fault are still imported.
      if (error instanceof ImportFault) await apply();
      await writing;
      if (error instanceof ImportFault) await addToSegment(job);
      throw error;
    }
    await writing;
    await addToSegment(job);
    await mongo.transaction(originOf(job), (tx) => finish(tx, job, 'completed', null));
    return true;
  }

  async function* chunksOf(job: ImportJob) {
    try {
      yield* files.read(job.accountId, job.id, job.bytes, job.offset);
    } catch (error) {
      throw error instanceof ChunkMissing ? unreadable('file_gone', fileGone) : error;
    }
  }

  /** Does nothing if another process now holds the import, or it was cancelled. */
  async function fail(job: ImportJob, error: { code: string; message: string }) {
    await mongo
      .transaction(originOf(job), (tx) => finish(tx, job, 'failed', error))
      .catch((reason: unknown) => {
        if (!(reason instanceof LeaseLost)) throw reason;
      });
  }

  /** Removes the files of interrupted uploads and of all imports that have ended. */
  async function removeFiles() {
    for (const { id, accountId } of await imports.cutOff()) {
      await files.remove(accountId, id);
      await imports.discard(id);
    }
    for (const { id, accountId } of await imports.withFiles()) {
      await files.remove(accountId, id);
      await imports.fileRemoved(id);
    }
  }

  return createJobRunner({
    logger,
    noun: 'import',
    clear: removeFiles,
    claim: () => imports.claim(suspended),
    attemptsOf: imports.attemptsOf,
    release: imports.release,
    work: (job, signal) =>
      workTurn(job, signal).catch(async (error: unknown) => {
        if (error instanceof ImportFault) await fail(job, { code: error.code, message: error.message });
        else if (!(error instanceof LeaseLost)) throw error;
        return true;
      }),
    fail,
    givenUp: 'A row could not be saved because of an internal error; the rows before it were imported. Send the file again.',
  });
}

function add(rows: ImportRows, read: number, results: readonly UpsertResult[]): ImportRows {
  const count = (status: UpsertResult['status']) => results.filter((result) => result.status === status).length;
  return {
    read: rows.read + read,
    created: rows.created + count('created'),
    updated: rows.updated + count('updated'),
    unchanged: rows.unchanged + count('unchanged'),
    failed: rows.failed + count('error'),
  };
}

/** Rows are counted from 1, without the header. Each error lists everything wrong with its row. */
function errorsOf({ rows }: ImportJob, part: readonly CheckedRow[], results: readonly UpsertResult[]): RowError[] {
  const first = part[0]?.row.index ?? 0;
  const found = results.flatMap((result) => {
    if (result.status !== 'error') return [];
    const { code, path = null, all } = result.error;
    const message = all?.map((fault) => `${fault.path.slice(1).replaceAll('/', '.')}: ${fault.message}`).join('; ') ?? result.error.message;
    const at = result.index - first;
    return [{ row: rows.read + at + 1, code, message, path, cells: part[at]?.cells ?? [] }];
  });
  return found.sort((a, b) => a.row - b.row);
}
