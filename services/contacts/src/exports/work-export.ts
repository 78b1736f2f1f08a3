import type { Contact } from '@mp/contracts/contact';
import { compileRule } from '@mp/rules/compile';
import { backoff } from '@mp/service-kit/backoff';
import type { Logger } from '@mp/service-kit/logger';
import { isMongoAway, type Mongo } from '@mp/service-kit/mongo';
import { createRunner, type Runner } from '@mp/service-kit/runner';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { contactBytes } from '../contacts/draft-bytes.ts';
import { contactAlone } from '../contacts/search-plan.ts';
import { chunkBytes, type FileChunksStore } from '../files/file-chunks-store.ts';
import { headerOf, rowsOf } from './export-rows.ts';
import type { ExportJob, ExportsStore } from './exports-store.ts';

type Parts = { mongo: Mongo; logger: Logger; contacts: ContactsStore; files: FileChunksStore; exports: ExportsStore };

const pageSize = 500;
const sliceMs = 5_000;
const attemptsMax = 8;

/**
 * Works off exports: page after page of contacts by id, each a piece of the file (more, when they are large), in one
 * transaction with how far the export is. Whoever goes on after a crash begins exactly there.
 */
export function createExportRunner({ mongo, logger, contacts, files, exports }: Parts): Runner {
  /** The job after it; none when the export was withdrawn or another process holds it by now: then nothing is written. */
  async function writePiece(job: ExportJob, told: readonly Contact[], after: string | null): Promise<ExportJob | undefined> {
    const types = new Map(job.attributes.map(({ key, type }) => [key, type]));
    const header = job.bytes === 0 ? headerOf(job.format, types) : '';
    const piece = Buffer.from(header + rowsOf(job.format, types, told));
    const next = { ...job, after, bytes: job.bytes + piece.length, rows: job.rows + told.length };
    const isHeld = await mongo.transaction({ correlationId: job.id, causationId: null }, async (tx) => {
      const mayWrite = await exports.advance(tx, next);
      if (mayWrite && piece.length > 0) await files.putRows(tx, job.accountId, job.id, job.bytes, piece, told);
      return mayWrite;
    });
    return isHeld ? next : undefined;
  }

  /** Works for some seconds. True when the file is whole. */
  async function workSlice(claimed: ExportJob, signal: AbortSignal): Promise<boolean> {
    const until = Date.now() + sliceMs;
    const now = new Date();
    const matches = claimed.rule === null ? undefined : compileRule(claimed.rule).matches;
    for (let job = claimed; ; ) {
      const page = await contacts.pageById(job.accountId, job.after, pageSize);
      for (const part of partsOf(page.contacts)) {
        const told = part.filter((contact) => matches?.({ contact, ...contactAlone }, now).matches ?? true);
        const next = await writePiece(job, told, part.at(-1)?.id ?? job.after);
        if (!next) return false;
        job = next;
      }
      if (page.next === null) {
        await exports.finish(job, 'completed');
        return true;
      }
      if (signal.aborted || Date.now() > until) return false;
    }
  }

  return createRunner({
    logger,
    warning: 'work on exports failed; trying on',
    backoffMs: { first: 100, most: 5_000 },
    async work(signal) {
      // The file first: an export that is forgotten leaves none.
      for (const { id, accountId } of await exports.expired()) {
        await files.remove(accountId, id);
        await exports.forget(accountId, id);
      }
      const job = await exports.claim();
      if (!job) return false;
      try {
        if (!(await workSlice(job, signal))) await exports.release(job);
      } catch (error) {
        if (isMongoAway(error)) throw error;
        logger.warn({ err: error, export: job.id, attempt: job.attempts + 1 }, 'export broke off');
        if (job.attempts + 1 < attemptsMax) await exports.release(job, 500 + backoff(job.attempts, 500, 30_000));
        else
          await exports.finish(job, 'failed', { code: 'internal_error', message: 'The file could not be written for a reason of ours.' });
      }
      return true;
    },
  });
}

/** A page in parts, of each of which a piece of the file is made; at least one, because the header is in the first. */
function* partsOf(contacts: readonly Contact[]): Generator<Contact[]> {
  let part: Contact[] = [];
  let bytes = 0;
  for (const contact of contacts) {
    const size = contactBytes(contact);
    if (part.length > 0 && bytes + size > chunkBytes) {
      yield part;
      [part, bytes] = [[], 0];
    }
    part.push(contact);
    bytes += size;
  }
  yield part;
}
