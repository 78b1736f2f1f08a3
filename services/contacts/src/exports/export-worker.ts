import type { Contact } from '@mp/contracts/contact';
import { ExportCompleted } from '@mp/contracts/events/contacts';
import type { AccountId, ContactId } from '@mp/ids';
import { compileRule } from '@mp/rules/rule-predicate';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { Runner } from '@mp/service-kit/runner';
import type { Suspended } from '@mp/service-kit/suspensions';
import type { SelectContacts } from '../bulk/select-contacts.ts';
import type { ConsentLogStore } from '../consent/consent-log-store.ts';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { contactBytes } from '../contacts/draft-bytes.ts';
import { contactAlone } from '../contacts/rule-query.ts';
import { chunkBytes, type FileChunksStore } from '../files/file-chunks-store.ts';
import { createJobRunner, turnMs } from '../files/job-worker.ts';
import type { ReadMembers } from '../segments/segment-members.ts';
import { headerOf, rowsOf } from './export-rows.ts';
import type { ExportJob, ExportsStore } from './exports-store.ts';

type Parts = {
  mongo: Mongo;
  logger: Logger;
  contacts: ContactsStore;
  consentLog: Pick<ConsentLogStore, 'evidenceOf'>;
  files: FileChunksStore;
  exports: ExportsStore;
  outbox: Pick<Outbox, 'add'>;
  readMembers: ReadMembers;
  selectContacts: SelectContacts;
  suspended: Suspended;
};

const pageSize = 500;
/** Read without a limit on their total size, so fewer at once. */
const membersPageSize = 200;

/**
 * Processes exports. Contacts are read page by page in id order; each page becomes one chunk of the file, or several if its
 * contacts are large. A chunk and the progress are written in one transaction, so a crash resumes exactly there.
 */
export function createExportRunner({
  mongo,
  logger,
  contacts,
  consentLog,
  files,
  exports,
  readMembers,
  selectContacts,
  outbox,
  suspended,
}: Parts): Runner {
  const evidenceOf = async (accountId: AccountId, included: readonly Contact[]) => {
    const ids = included.map(({ id }) => id);
    return consentLog.evidenceOf(accountId, included, await contacts.survivorsOf(accountId, ids));
  };

  /** Returns the job after the chunk; undefined, with nothing written, if this process no longer holds the export. */
  async function writeChunk(job: ExportJob, included: readonly Contact[], after: ContactId | null): Promise<ExportJob | undefined> {
    const types = new Map(job.attributes.map(({ key, type }) => [key, type]));
    const header = job.bytes === 0 ? headerOf(job.format, types) : '';
    const evidence = job.evidence ? await evidenceOf(job.accountId, included) : undefined;
    const piece = Buffer.from(header + rowsOf(job.format, types, included, evidence));
    const progress = { after, bytes: job.bytes + piece.length, rows: job.rows + included.length };
    const isHeld = await mongo.transaction({ correlationId: job.id, causationId: null }, async (tx) => {
      const mayWrite = await exports.advance(tx, job, progress);
      if (mayWrite && piece.length > 0)
        await files.putRows(tx, job.accountId, { fileId: job.id, start: job.bytes, bytes: piece, contacts: included });
      return mayWrite;
    });
    return isHeld ? { ...job, ...progress } : undefined;
  }

  async function finish(job: ExportJob, status: 'completed' | 'failed', error: { code: string; message: string } | null = null) {
    await mongo.transaction({ correlationId: job.id, causationId: null }, async (tx) => {
      if (!(await exports.finish(tx, job, { status, error }))) return;
      const { id, accountId, format, rows, bytes } = job;
      await outbox.add(tx, ExportCompleted, accountId, { export_id: id, status, format, rows, bytes });
    });
  }

  /** The next contacts in id order: of the account, of a segment, or of a selection. */
  async function pageOf({
    accountId,
    filter,
    select,
    after,
    createdAt,
  }: ExportJob): Promise<{ contacts: Contact[]; next: ContactId | null }> {
    if (select) {
      const page = await selectContacts({ accountId, select, asOf: createdAt, after });
      const ids = page.ids.slice(0, membersPageSize);
      const isWhole = ids.length === page.ids.length;
      return { contacts: await inOrder(accountId, ids), next: isWhole ? page.last : (ids.at(-1) ?? null) };
    }
    if (!filter) return contacts.pageById(accountId, after, pageSize);
    const query = { accountId, segmentId: filter.segment_id, asOf: new Date(filter.as_of), after, limit: membersPageSize };
    const { ids, next } = await readMembers(query);
    return { contacts: await inOrder(accountId, ids), next };
  }

  async function inOrder(accountId: AccountId, ids: readonly ContactId[]): Promise<Contact[]> {
    const found = await contacts.findMany(accountId, ids);
    return found.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Works for up to `turnMs`. True when the file is complete. */
  async function workTurn(claimed: ExportJob, signal: AbortSignal): Promise<boolean> {
    const until = Date.now() + turnMs;
    const now = new Date();
    const matches = claimed.rule === null ? undefined : compileRule(claimed.rule).matches;
    for (let job = claimed; ; ) {
      const page = await pageOf(job);
      for (const part of partsOf(page.contacts)) {
        const included = part.filter((contact) => matches?.({ contact, ...contactAlone }, now).matches ?? true);
        const next = await writeChunk(job, included, part.at(-1)?.id ?? page.next ?? job.after);
        if (!next) return false;
        job = next;
      }
      if (page.next === null) {
        await finish(job, 'completed');
        return true;
      }
      if (signal.aborted || Date.now() > until || suspended.has(job.accountId)) return false;
    }
  }

  /** Removes the file first, so that no file outlives its export. */
  async function forgetExpired() {
    for (const { id, accountId } of await exports.expired()) {
      await files.remove(accountId, id);
      await exports.forget(accountId, id);
    }
  }

  return createJobRunner({
    logger,
    noun: 'export',
    clear: forgetExpired,
    claim: () => exports.claim(suspended),
    attemptsOf: exports.attemptsOf,
    release: exports.release,
    work: workTurn,
    fail: (job, error) => finish(job, 'failed', error),
    givenUp: 'The file could not be written because of an internal error; create the export again.',
  });
}

/** Splits a page into parts, one per file chunk. Yields at least one part, because the first chunk has the header. */
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
