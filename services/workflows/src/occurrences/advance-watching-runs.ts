import type { EventEnvelope } from '@mp/contracts/event';
import type { ContactId } from '@mp/ids';
import type { Clock } from '@mp/service-kit/clock';
import type { Transaction } from '@mp/service-kit/mongo';
import type { ApplyInputs, Holds } from '../runs/apply-inputs.ts';
import type { Occurred } from '../runs/run.ts';
import { occurredKey } from '../runs/run-watches.ts';
import type { RunsStore } from '../runs/runs-store.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import type { OccurrencesStore } from './occurrences-store.ts';

export type AdvanceWatchingRunsDeps = {
  workflows: Pick<WorkflowsStore, 'statuses'>;
  runs: Pick<RunsStore, 'watching'>;
  applyInputs: ApplyInputs;
  occurrences: Pick<OccurrencesStore, 'add'>;
  clock: Clock;
  holds: Holds;
};

/** `id` is the same in every event that reports the same occurrence. */
export type Happened = { id: string; event: EventEnvelope; contactId: ContactId; at: Date; occurred: Occurred };

/** More open runs than one contact has. */
const maxRuns = 500;

/** Applies what happened to contacts, each of them locked, to their open runs that watch for it, once. */
export async function advanceWatchingRuns(
  tx: Transaction,
  { workflows, runs, applyInputs, occurrences, clock, holds }: AdvanceWatchingRunsDeps,
  happened: readonly Happened[],
) {
  const all = happened.map(({ event, ...one }) => {
    return { ...one, event, accountId: event.account_id, event_id: event.id, key: occurredKey(one.occurred) };
  });
  // A live event can overtake the bulk one that starts the run. A run exists before its emails.
  const isRecorded = ({ occurred }: Happened) => occurred.type !== 'message_opened' && occurred.type !== 'message_clicked';
  const added = new Set(await occurrences.add(tx, all.filter(isRecorded), clock()));
  const fresh = all.filter((one) => !isRecorded(one) || added.has(one));
  const watching = await runs.watching(tx, fresh, maxRuns);
  const statuses = await workflows.statuses(watching.flat(), tx);
  const moves = fresh.flatMap(({ event, accountId, occurred, at }, index) =>
    (watching[index] ?? []).map((before) => {
      const hold = holds(accountId) || statuses.get(before.workflow_id) !== 'active';
      const input = { type: 'occurred' as const, occurred, at: at.toISOString(), hold };
      return { before, input, cause: tx.causedBy?.(event.data) };
    }),
  );
  await applyInputs(tx, moves);
}
