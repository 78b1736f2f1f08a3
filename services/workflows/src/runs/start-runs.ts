import { RunStarted } from '@mp/contracts/events/workflows';
import { type AccountId, type ContactId, newId, type RunId } from '@mp/ids';
import type { Clock } from '@mp/service-kit/clock';
import type { Transaction } from '@mp/service-kit/mongo';
import type { Outbox } from '@mp/service-kit/outbox';
import type { DeliveredStore } from '../journal/delivered-store.ts';
import type { AdvanceWithRecent } from '../occurrences/advance-with-recent.ts';
import { definitionOf, type Workflow } from '../workflows/workflow.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import type { AnnounceFirstMail } from './announce-first-mail.ts';
import { capacityOf } from './capacity.ts';
import { locksOf, openLocks } from './locks.ts';
import type { Holds } from './move-run.ts';
import { publishEffects, publishEnd, wantsMail } from './move-run.ts';
import { type Advanced, isOpen } from './run.ts';
import type { StoredRun } from './run-document.ts';
import { watchesOf } from './run-watches.ts';
import type { Begun, RunsStore } from './runs-store.ts';

export type StartRuns = ReturnType<typeof createStartRuns>;

/**
 * A contact that enters. `key` names the cause: the same key never starts a second run. Branches wait for `revision` and
 * `after`, see `Run`.
 */
export type Entrant = {
  contactId: ContactId;
  /** When the cause happened; now by default. */
  at?: Date;
  /** When the run takes its first step, if that is later. */
  startAt?: Date;
  revision?: number;
  after?: readonly string[];
  key?: string;
  chain?: string | null;
  data?: Record<string, unknown>;
};

/** The run that started, or the id of the run that prevents it. */
export type Entered = { run: StoredRun } | { existing: RunId };

type Deps = {
  workflows: Pick<WorkflowsStore, 'applied'>;
  runs: RunsStore;
  delivered: DeliveredStore;
  advanceWithRecent: AdvanceWithRecent;
  outbox: Outbox;
  announceFirstMail: AnnounceFirstMail;
  clock: Clock;
  holds?: Holds;
};

/**
 * Starts runs for the contacts that the entry policy admits. A unique index over locks enforces the policy across
 * replicas: the later one gets E11000 and finds the earlier run when it retries. While `holds`, runs take no step.
 */
export function createStartRuns(deps: Deps) {
  const { workflows, runs, delivered, advanceWithRecent, outbox, announceFirstMail, clock, holds = () => false } = deps;
  return async function startRuns(
    tx: Transaction,
    accountId: AccountId,
    { workflow, trigger, entrants }: { workflow: Workflow; trigger: StoredRun['trigger']; entrants: readonly Entrant[] },
  ): Promise<Entered[]> {
    const now = clock();
    const { policy, key } = workflow.entry;
    const created = entrants.map((entrant) => {
      const run = newRun(accountId, { workflow, trigger, entrant, now });
      return { run, locks: locksOf(run, entrant, workflow.entry), startAt: entrant.startAt };
    });
    const earlier = await runs.taken(
      accountId,
      workflow.id,
      {
        contactIds: entrants.map(({ contactId }) => contactId),
        locks: created.flatMap(({ locks }) => locks),
        unless: key !== undefined || policy === 'every_time' ? 'none' : policy === 'once' ? 'any' : 'open',
      },
      tx,
    );
    const inTheWay = new Map(earlier.map(({ _id, contact_id }) => [contact_id, _id]));

    // A single run takes its first step in the same write. Several are left to the engine, to keep the transaction small.
    const alone = created.length === 1 && created[0]?.startAt === undefined && !holds(accountId);
    const begun: (Begun & { advanced: Advanced })[] = [];
    const definition = await workflows.applied(accountId, definitionOf(workflow));
    const entered: Entered[] = [];
    for (const { run, locks, startAt } of created) {
      const existing = inTheWay.get(run.contact_id);
      if (existing !== undefined) {
        entered.push({ existing });
        continue;
      }
      if (policy !== 'every_time') inTheWay.set(run.contact_id, run.id);
      const advanced: Advanced = alone
        ? await advanceWithRecent(tx, { definition, before: run, input: { type: 'wake' }, now })
        : { run, effects: [], wakeAt: startAt ?? now, log: [], passages: [] };
      const closed = !isOpen(advanced.run);
      const stored: StoredRun = { ...run, ...advanced.run, due_at: advanced.wakeAt, ended_at: closed ? now : null };
      begun.push({
        run: stored,
        locks: closed ? locks.filter((lock) => !openLocks.test(lock)) : locks,
        watches: watchesOf(definition, advanced.run),
        capacity: capacityOf(definition, advanced.run),
        log: advanced.log,
        passages: advanced.passages,
        first: run.step,
        advanced,
      });
      entered.push({ run: stored });
    }

    await runs.insertMany(tx, begun, now);
    await outbox.addMany(
      tx,
      RunStarted,
      accountId,
      begun.map(({ run: { id, workflow_id, workflow_name, contact_id } }) => ({
        run_id: id,
        workflow_id,
        workflow_name,
        contact_id,
        at: now.toISOString(),
      })),
    );
    for (const { run, advanced } of begun) {
      await publishEffects({ outbox, delivered }, tx, run, advanced);
      if (wantsMail(advanced)) announceFirstMail(tx, run);
      await publishEnd(outbox, tx, run, now);
    }
    return entered;
  };
}

function newRun(
  accountId: AccountId,
  { workflow, trigger, entrant, now }: { workflow: Workflow; trigger: StoredRun['trigger']; entrant: Entrant; now: Date },
): StoredRun {
  const began = (entrant.at ?? now).toISOString();
  return {
    id: newId('run'),
    account_id: accountId,
    workflow_id: workflow.id,
    workflow_name: workflow.name,
    version: workflow.version,
    contact_id: entrant.contactId,
    state: 'active',
    reason: null,
    step: workflow.steps[0]?.id ?? null,
    waiting: null,
    sequence: 0,
    revision: entrant.revision ?? 0,
    after: entrant.after ?? [],
    chain: entrant.chain ?? null,
    began,
    since: (entrant.startAt ?? now).toISOString(),
    reached: began,
    sent: {},
    engaged: [],
    responses: {},
    trigger,
    ...(workflow.priority === 'high' && { priority: 'high' }),
    data: entrant.data ?? {},
    created_at: now,
    ended_at: null,
    due_at: null,
  };
}
