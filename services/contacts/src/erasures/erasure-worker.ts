import { ContactDeleted, ContactErased } from '@mp/contracts/events/contacts';
import { lanes, subjectIn } from '@mp/contracts/lanes';
import { streams } from '@mp/contracts/streams';
import type { Broker } from '@mp/service-kit/broker';
import { noteInLogs } from '@mp/service-kit/log-context';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import { createRunner, type Runner } from '@mp/service-kit/runner';
import type { ConsentLogStore } from '../consent/consent-log-store.ts';
import type { WithdrawExports } from '../exports/withdraw-exports.ts';
import type { OptInsStore } from '../forms/opt-ins-store.ts';
import type { SubmissionsStore } from '../forms/submissions-store.ts';
import type { RowErrorsStore } from '../imports/row-errors-store.ts';
import type { MergesStore } from '../merges/merges-store.ts';
import type { TimelineStore } from '../timeline/timeline-store.ts';
import type { CopiesStore } from './copies-store.ts';
import type { ErasureJob, ErasuresStore } from './erasures-store.ts';
import type { LeftoversStore } from './leftovers-store.ts';
import { receiptEvents } from './on-erased.ts';

type Parts = {
  mongo: Mongo;
  logger: Logger;
  broker: Pick<Broker, 'eraseFrom' | 'ready'>;
  outbox: Outbox;
  erasures: ErasuresStore;
  leftovers: LeftoversStore;
  copies: CopiesStore;
  timeline: TimelineStore;
  merges: MergesStore;
  consentLog: ConsentLogStore;
  optIns: OptInsStore;
  submissions: SubmissionsStore;
  withdrawExports: WithdrawExports;
  rowErrors: RowErrorsStore;
};

/** If a service has not confirmed within this time, the erasure is published again. */
const publishAgainMs = 60 * 60_000;

/** Events that name the contact only by id. They stay, because a consumer that missed them must still receive them. */
const idsOnly = [ContactDeleted, ContactErased, ...Object.values(receiptEvents)].flatMap(({ subject }) =>
  lanes.map((lane) => subjectIn(lane, subject)),
);

/**
 * Removes what deleted contacts left behind, and completes erasures: first this service's own data, then, once the other
 * services have confirmed, the events still in the streams. Every step can safely run twice.
 */
export function createErasureRunner({
  mongo,
  logger,
  broker,
  outbox,
  erasures,
  leftovers,
  copies,
  timeline,
  merges,
  consentLog,
  optIns,
  submissions,
  withdrawExports,
  rowErrors,
}: Parts): Runner {
  async function clearLeftovers(): Promise<boolean> {
    const gone = await leftovers.claim();
    if (!gone) return false;
    noteInLogs({ account_id: gone.accountId });
    await timeline.erase(gone.accountId, gone.contactIds);
    await merges.erase(gone.accountId, gone.contactIds);
    await leftovers.cleared(gone.id);
    return true;
  }

  async function clearLocal({ id, accountId, contactIds, hashes }: ErasureJob) {
    const removed = {
      contacts: contactIds.length,
      timeline: await timeline.erase(accountId, contactIds),
      merges: await merges.erase(accountId, contactIds),
      consent_log: await consentLog.erase(accountId, contactIds),
      opt_ins: await optIns.erase(accountId, contactIds),
      form_submissions: await submissions.erase(accountId, contactIds),
      export_files: await withdrawExports(accountId, contactIds),
      failed_rows: await rowErrors.erase(accountId, hashes),
      ...(await copies.erase(accountId, contactIds, hashes)),
    };
    await mongo.transaction({ correlationId: id, causationId: null }, (tx) =>
      erasures.receive(tx, accountId, { id, service: 'contacts', receipt: { at: new Date(), removed } }),
    );
  }

  /** For services that have not confirmed; the others confirm again. */
  async function publishAgain({ id, accountId, contactId, contactIds, revision }: ErasureJob, now: Date) {
    await mongo.transaction({ correlationId: id, causationId: null }, async (tx) => {
      const merged_ids = contactIds.slice(1);
      await outbox.add(tx, ContactErased, accountId, { erasure_id: id, contact_id: contactId, merged_ids, revision });
      await erasures.markPublished(tx, id, now);
    });
  }

  async function clearStreams({ accountId, contactIds, hashes }: ErasureJob) {
    await copies.erase(accountId, contactIds, hashes);
    await withdrawExports(accountId, contactIds);
    await rowErrors.erase(accountId, hashes);
    const mentions = (subject: string, payload: string) =>
      (contactIds.some((id) => payload.includes(id)) && !idsOnly.some((own) => subject.endsWith(own))) ||
      (hashes.some((hash) => payload.includes(hash)) && !payload.includes('"value":null'));
    for (const stream of Object.values(streams)) await broker.eraseFrom(stream, mentions);
  }

  async function advanceErasure(): Promise<boolean> {
    const job = await erasures.claim();
    if (!job) return false;
    noteInLogs({ account_id: job.accountId });
    const now = new Date();
    if (job.isLocalPending) await clearLocal(job);
    else if (job.isRemotePending) {
      if (now.getTime() - job.publishedAt.getTime() > publishAgainMs) await publishAgain(job, now);
    } else if (broker.ready()) {
      await clearStreams(job);
      await erasures.complete(job.id);
    } else await erasures.postpone(job.id);
    return true;
  }

  return createRunner({
    logger,
    warning: 'removing the data of deleted contacts failed; retrying',
    backoffMs: { first: 100, max: 5_000 },
    work: async () => {
      const cleared = await clearLeftovers();
      const seen = await advanceErasure();
      return cleared || seen;
    },
  });
}
