import type { Lane } from '@mp/contracts/lanes';
import { ContactsPage } from '@mp/contracts/requests/contacts';
import type { KnownPositions } from '@mp/contracts/requests/positions';
import { SegmentMembersPage } from '@mp/contracts/requests/segments';
import type { AccountId, ContactId, SegmentId } from '@mp/ids';
import type { Broker } from '@mp/service-kit/broker';
import type { Clock } from '@mp/service-kit/clock';
import { createFailureLog } from '@mp/service-kit/failure-log';
import { noteInLogs } from '@mp/service-kit/log-context';
import type { Logger } from '@mp/service-kit/logger';
import type { Mongo, Transaction } from '@mp/service-kit/mongo';
import { createRunner, untilDue } from '@mp/service-kit/runner';
import type { Suspended } from '@mp/service-kit/suspensions';
import type { CandidatesStore } from '../candidates/candidates-store.ts';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import type { EnrollmentsStore } from '../enrollments/enrollments-store.ts';
import type { Entrant } from '../runs/new-run.ts';
import type { RunsStore } from '../runs/runs-store.ts';
import type { StartRuns } from '../runs/start-runs.ts';
import { membershipKey, ruleOf } from '../workflows/trigger.ts';
import type { Workflow } from '../workflows/workflow.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import { dateOccurrence } from './date-occurrence.ts';
import { findMembersMoment } from './members-moment.ts';
import { hourMs, tickAfter } from './next-tick.ts';
import { pastEntrants, positionsToAwait } from './past-entrants.ts';
import { spreadOver } from './spread.ts';
import type { Tick, TicksStore } from './ticks-store.ts';

export type Scheduler = ReturnType<typeof createScheduler>;

type Deps = {
  mongo: Mongo;
  logger: Logger;
  broker: Pick<Broker, 'request'>;
  ticks: TicksStore;
  enrollments: EnrollmentsStore;
  runs: Pick<RunsStore, 'begunByEntering'>;
  candidates: Pick<CandidatesStore, 'add'>;
  workflows: WorkflowsStore;
  contacts: ContactsStore;
  startRuns: StartRuns;
  suspended: Suspended;
  clock: Clock;
};

const leaseMs = 45_000;
const againMs = 10_000;
const maxMembers = 500;
const maxContacts = 200;

/** A tick whose segment is behind waits a tenth of the time it has waited, so that it delays no others. */
const [minWaitMs, maxWaitMs] = [500, 30_000];

/** Contacts that enter, since when they are in the segment, and the last contact of the page; null after the last page. */
type Page = { entrants: Entrant[]; enteredAt?: readonly string[]; next: ContactId | null; isEnrollment?: true };

/**
 * Starts the runs of `schedule` and `date` triggers when their time comes, one page of contacts per transaction together
 * with its progress, and those of the current members of a segment whose workflow is activated with them. A `date` trigger looks at the coming hour: its runs wait for their exact time like any other run.
 */
export function createScheduler(deps: Deps) {
  const { mongo, logger, broker, ticks, enrollments, runs, candidates, workflows, contacts, startRuns, suspended, clock } = deps;
  const failures = createFailureLog(logger, 'cannot start the runs of a schedule; retrying');

  /** The time as of which all pages of the tick are read; undefined if segments is behind, and the tick is retried later. */
  async function takeMoment(tick: Tick, segmentId: SegmentId): Promise<Date | undefined> {
    if (tick.as_of !== null) return tick.as_of;
    const found = await findMembersMoment(broker, { accountId: tick.account_id, segmentId, whereabouts: tick.whereabouts });
    if (found === 'unknown') return tick.at;
    if ('asOf' in found) return ticks.readAsOf(tick, found.asOf);
    return awaitSources(tick, found.whereabouts);
  }

  async function awaitSources(tick: Tick, whereabouts: KnownPositions): Promise<undefined> {
    const now = clock().getTime();
    const waitMs = Math.min(maxWaitMs, Math.max(minWaitMs, (now - tick.at.getTime()) / 10));
    await ticks.awaitSources(tick, whereabouts, new Date(now + waitMs));
  }

  /** Undefined while the tick has to wait. */
  async function pageOf({ trigger }: Workflow, tick: Tick): Promise<Page | undefined> {
    const { account_id, at, after } = tick;
    if (trigger.type === 'schedule' || trigger.type === 'segment_entered') {
      const asOf = await takeMoment(tick, trigger.segment_id);
      if (!asOf) return undefined;
      const query = { account_id, segment_ids: [trigger.segment_id], as_of: asOf.toISOString(), after, limit: maxMembers };
      const { contact_ids, entered_at, next } = await broker.request(SegmentMembersPage, query);
      if (trigger.type === 'segment_entered') {
        const entrants = contact_ids.map((contactId, index) => {
          return { contactId, at, key: membershipKey(trigger.segment_id, entered_at[index] ?? at.toISOString()) };
        });
        return { entrants, enteredAt: entered_at, next, isEnrollment: true };
      }
      const entrants = contact_ids.map((contactId): Entrant => {
        const key = `schedule ${at.toISOString()} ${contactId}`;
        if (trigger.spread === undefined) return { contactId, at, key };
        const startAt = spreadOver(at, trigger.spread, key);
        return { contactId, at: startAt, startAt, key };
      });
      return { entrants, next };
    }
    if (trigger.type === 'event' && tick.since !== null) {
      const behind = await positionsToAwait({ broker }, tick);
      if (behind) return awaitSources(tick, behind);
      return { ...(await pastEntrants({ broker }, trigger, { ...tick, since: tick.since })), isEnrollment: true };
    }
    if (trigger.type !== 'date') return { entrants: [], next: null };
    const { contacts: found, next } = await broker.request(ContactsPage, { account_id, after, limit: maxContacts });
    const until = new Date(at.getTime() + hourMs);
    const entrants = found.flatMap((contact): Entrant[] => {
      const occurs = dateOccurrence(trigger, contact, at, until);
      if (!occurs) return [];
      const key = `date ${trigger.field} ${occurs.toISOString().slice(0, 10)} ${contact.id}`;
      return [{ contactId: contact.id, revision: contact.revision, at: occurs, startAt: occurs, key }];
    });
    return { entrants, next };
  }

  async function work(tick: Tick) {
    const { account_id, workflow_id } = tick;
    if (suspended.has(account_id)) {
      await ticks.postpone(tick, new Date(clock().getTime() + leaseMs));
      return;
    }
    const known = await workflows.find(account_id, workflow_id);
    const page = known ? await pageOf(known, tick) : { entrants: [], next: null };
    if (!page) return;
    const origin = { correlationId: `${workflow_id}:${tick.at.toISOString()}`, causationId: null };
    await mongo.transaction({ ...origin, ...(page.isEnrollment && { lane: laneOfPage(tick) }) }, async (tx) => {
      const workflow = await workflows.find(account_id, workflow_id, tx);
      if (workflow?.status !== 'active') {
        await ticks.remove(tx, tick);
        return;
      }
      const at = page.next === null ? tickAfter(workflow.trigger, tick.at, clock()) : tick.at;
      const isOurs = at ? await ticks.advance(tx, tick, { at, after: page.next }) : (await ticks.remove(tx, tick)).deletedCount === 1;
      if (!isOurs) return;
      const entrants = await admit(tx, account_id, workflow, page);
      const isRuled = page.enteredAt !== undefined && ruleOf(workflow.trigger) !== undefined;
      const started = isRuled ? null : await start(tx, account_id, workflow, entrants);
      if (isRuled) await evaluateFirst(tx, account_id, workflow, entrants);
      if (!page.isEnrollment) return;
      const completedAt = page.next === null ? clock() : null;
      await enrollments.count(tx, account_id, workflow_id, { processed: page.entrants.length, started, completedAt });
    });
  }

  /** The survivors of the contacts, without those whose current membership in the segment has started a run since the activation. */
  async function admit(tx: Transaction, accountId: AccountId, { id, activated_at }: Workflow, { entrants, enteredAt }: Page) {
    if (entrants.length === 0) return [];
    const survivors = await contacts.lockSurvivors(
      tx,
      entrants.map(({ contactId }) => ({ accountId, contactId })),
    );
    const contactIds = [...new Set(survivors.values())];
    const begun =
      enteredAt && activated_at !== null
        ? await runs.begunByEntering(tx, accountId, id, { contactIds, since: new Date(activated_at) })
        : new Map<ContactId, string>();
    return entrants.flatMap((entrant, index) => {
      const contactId = survivors.get(entrant.contactId);
      if (contactId === undefined || (begun.get(contactId) ?? '') > (enteredAt?.[index] ?? '')) return [];
      return [{ ...entrant, contactId }];
    });
  }

  async function start(tx: Transaction, accountId: AccountId, workflow: Workflow, entrants: readonly Entrant[]): Promise<number> {
    const trigger = { type: workflow.trigger.type, event_id: null };
    const entered = await startRuns(
      tx,
      entrants.map((entrant) => ({ accountId, workflow, trigger, entrant })),
    );
    return entered.filter((one) => 'run' in one).length;
  }

  const evaluateFirst = (tx: Transaction, accountId: AccountId, { id: workflowId }: Workflow, entrants: readonly Entrant[]) =>
    candidates.add(
      tx,
      entrants.map(({ contactId, at = clock(), key = contactId }) => {
        return { accountId, workflowId, eventId: null, correlationId: null, entrant: { contactId, at, key, chain: null } };
      }),
    );

  /** Processes one page of one due tick. Returns whether more may be due. */
  async function look(): Promise<boolean> {
    const tick = await ticks.claim(clock(), leaseMs);
    if (!tick) return false;
    noteInLogs({ account_id: tick.account_id });
    try {
      await work(tick);
      failures.succeeded();
    } catch (error) {
      failures.failed(error, { workflow: tick.workflow_id });
      await ticks.postpone(tick, new Date(clock().getTime() + againMs));
    }
    return true;
  }

  const runner = createRunner({
    logger,
    warning: 'cannot look for due schedules; retrying',
    work: async () => (await look()) || untilDue(await ticks.nextDue(), clock()),
  });
  ticks.onDue(runner.wake);
  return {
    start: runner.start,
    stop: runner.stop,

    /** Looks for due schedules now; for tests that move the clock. */
    wake: runner.wake,
  };
}

/** The members that enter beyond the first page delay nobody. */
const laneOfPage = ({ after }: Tick): Lane => (after === null ? 'live' : 'bulk');
