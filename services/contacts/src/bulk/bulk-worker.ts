import { laneOfJob } from '@mp/contracts/lanes';
import type { AccountId, ContactId, SegmentId } from '@mp/ids';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import type { Runner } from '@mp/service-kit/runner';
import type { Suspended } from '@mp/service-kit/suspensions';
import type { Audit } from '../audit/audit.ts';
import { retryOnDuplicate } from '../contacts/retry-writes.ts';
import { createJobRunner, turnMs } from '../files/job-worker.ts';
import type { AddMembers } from '../segments/segment-members.ts';
import { type ApplyAction, unknownContact } from './apply-action.ts';
import { type BulkResult, type BulkRows, endOfDeletion, isAudited } from './bulk-job.ts';
import type { BulkJobsStore, HeldJob } from './bulk-jobs-store.ts';
import type { BulkResultsStore } from './bulk-results-store.ts';
import { pacedUntilAfter } from './request-confirmations.ts';
import type { SelectContacts } from './select-contacts.ts';
import type { StartWorkflow } from './start-workflow.ts';

type Parts = {
  mongo: Mongo;
  logger: Logger;
  audit: Audit;
  jobs: BulkJobsStore;
  results: BulkResultsStore;
  selectContacts: SelectContacts;
  applyAction: ApplyAction;
  addMembers: AddMembers;
  startWorkflow: StartWorkflow;
  suspended: Suspended;
};

const maxPerTransaction = 100;

/**
 * Processes bulk jobs in contact id order. The changes of some contacts, their results and the progress are written in one
 * transaction, so after a crash the job resumes exactly there, and each contact is processed once.
 */
export function createBulkRunner({
  mongo,
  logger,
  audit,
  jobs,
  results,
  selectContacts,
  applyAction,
  addMembers,
  startWorkflow,
  suspended,
}: Parts): Runner {
  /** Returns the job after it; undefined, with nothing written, if this process no longer holds the job. */
  async function write(job: HeldJob, ids: readonly ContactId[], end: ContactId | null) {
    const elsewhere = await requestElsewhere(job, ids);
    const lane = laneOfJob(job.rows.selected);
    const origin = { correlationId: job.id, causationId: null, lane, startsWorkflows: job.request.start_workflows };
    return retryOnDuplicate(() =>
      mongo.transaction(origin, async (tx) => {
        // First, so that a process that lost the job, or a job that was cancelled, changes nothing.
        if (!(await jobs.advance(tx, job, { after: job.after, rows: job.rows }))) return undefined;
        const found = ids.length === 0 ? [] : (elsewhere ?? (await applyAction(tx, job, ids)));
        // After the last one of a page, everything that the page looked at is done.
        const after = found.length === ids.length && end !== null ? end : (found.at(-1)?.id ?? job.after);
        const rows = counted(job.rows, found);
        const { action } = job.request;
        const pacedUntil = action === 'request_confirmation' ? pacedUntilAfter(rows.changed, job, new Date()) : null;
        await jobs.advance(tx, job, { after, rows, ...(pacedUntil && { paced_until: pacedUntil }) });
        await results.add(tx, job.accountId, { jobId: job.id, first: job.rows.selected, results: found });
        return { next: { ...job, after, rows, pacedUntil }, done: found.length };
      }),
    );
  }

  /**
   * The results of an action of another service; undefined for those of this one. Outside the transaction: after a crash, the other
   * service has the same results for the same job again.
   */
  async function requestElsewhere(job: HeldJob, ids: readonly ContactId[]): Promise<BulkResult[] | undefined> {
    const { segment_id, workflow_id } = job.request;
    if (segment_id !== undefined) return addAll(job, segment_id, ids);
    return workflow_id === undefined ? undefined : startWorkflow(job, workflow_id, ids);
  }

  async function addAll({ id, accountId, request }: HeldJob, segmentId: SegmentId, ids: readonly ContactId[]): Promise<BulkResult[]> {
    if (ids.length === 0) return [];
    const { dry_run: dryRun, start_workflows: startWorkflows } = request;
    const items = await addMembers({ accountId, segmentId, contactIds: ids, by: id, dryRun, startWorkflows });
    const statuses = { added: 'changed', already_member: 'unchanged' } as const;
    return items.map(({ contact_id, status }) =>
      status === 'not_found' ? unknownContact(contact_id) : { id: contact_id, status: statuses[status] },
    );
  }

  /** Works for up to `turnMs`. True when every selected contact is processed, or the job has failed. */
  async function workTurn(claimed: HeldJob, signal: AbortSignal): Promise<boolean> {
    const until = Date.now() + turnMs;
    const { accountId, request, createdAt } = claimed;
    for (let job = claimed; ; ) {
      const page = await selectContacts({ accountId, select: request.select, asOf: createdAt, after: job.after });
      for (let done = 0; done < page.ids.length || done === 0; ) {
        const part = page.ids.slice(done, done + maxPerTransaction);
        const written = await write(job, part, done + part.length === page.ids.length ? page.last : null);
        if (!written) return false;
        job = written.next;
        done += written.done;
        if (page.ids.length === 0) break;
        if (isOver(signal, until, accountId) && done < page.ids.length) return false;
      }
      if (page.last === null) {
        await finish(job, 'completed');
        return true;
      }
      if (isOver(signal, until, accountId)) return false;
    }
  }

  async function finish(job: HeldJob, status: 'completed' | 'failed', error: { code: string; message: string } | null = null) {
    const { id, actor, request, rows } = job;
    await mongo.transaction({ correlationId: id, causationId: null }, async (tx) => {
      if (!(await jobs.finish(tx, job, { status, error })) || !actor || !isAudited(request)) return;
      await audit(tx, actor, endOfDeletion({ id, status, rows }));
    });
  }

  const isOver = (signal: AbortSignal, until: number, accountId: AccountId) =>
    signal.aborted || Date.now() > until || suspended.has(accountId);

  return createJobRunner({
    logger,
    noun: 'bulk job',
    clear: async () => undefined,
    claim: () => jobs.claim(suspended),
    attemptsOf: jobs.attemptsOf,
    release: jobs.release,
    work: workTurn,
    fail: (job, error) => finish(job, 'failed', error),
    givenUp: 'The job could not be completed because of an internal error. The results show which contacts were processed.',
  });
}

const counted = (rows: BulkRows, found: readonly BulkResult[]): BulkRows => {
  const count = (status: BulkResult['status']) => found.filter((result) => result.status === status).length;
  return {
    selected: rows.selected + found.length,
    changed: rows.changed + count('changed'),
    unchanged: rows.unchanged + count('unchanged'),
    failed: rows.failed + count('failed'),
  };
};
