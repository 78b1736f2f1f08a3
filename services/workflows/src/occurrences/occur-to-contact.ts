import type { AccountId, ContactId } from '@mp/ids';
import type { Clock } from '@mp/service-kit/clock';
import type { Transaction } from '@mp/service-kit/mongo';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import type { Holds, MoveRun } from '../runs/move-run.ts';
import type { Occurred } from '../runs/run.ts';
import { occurredKey } from '../runs/run-watches.ts';
import type { RunsStore } from '../runs/runs-store.ts';
import type { WorkflowsStore } from '../workflows/workflows-store.ts';
import type { OccurrencesStore } from './occurrences-store.ts';

export type OccurDeps = {
  workflows: WorkflowsStore;
  contacts: ContactsStore;
  runs: RunsStore;
  moveRun: MoveRun;
  occurrences: OccurrencesStore;
  clock: Clock;
  holds: Holds;
};

export type OccurToContact = ReturnType<typeof createOccurToContact>;

/** `id` is the same in every event that reports the same occurrence. */
type Happened = { id: string; eventId: string; accountId: AccountId; contactId: ContactId; at: Date; occurred: Occurred };

/** More open runs than one contact has. */
const maxRuns = 500;

/**
 * Applies what happened to a contact to its open runs that watch for it, once. Writes nothing when no workflow of the account
 * watches for it.
 */
export function createOccurToContact({ workflows, contacts, runs, moveRun, occurrences, clock, holds }: OccurDeps) {
  return async function occurToContact(tx: Transaction, { id, eventId, accountId, contactId, at, occurred }: Happened) {
    const key = occurredKey(occurred);
    if (!(await workflows.watches(accountId, key, tx))) return;
    const survivor = await contacts.lockSurvivor(tx, accountId, contactId);
    if (survivor === undefined) return;
    // Rules are evaluated when a run reaches its step, and a run exists before its emails: only events are looked up.
    if (occurred.type === 'event') {
      const row = { id, accountId, contactId: survivor, key, at, event_id: eventId, occurred, recordedAt: clock() };
      if (!(await occurrences.add(tx, row))) return;
    }
    for (const run of await runs.watching(tx, accountId, { contactId: survivor, key, limit: maxRuns })) {
      const status = await workflows.status(accountId, run.workflow_id, tx);
      const hold = holds(accountId) || status !== 'active';
      await moveRun(tx, run, { type: 'occurred', occurred, at: at.toISOString(), hold });
    }
  };
}
