import type { ContactId } from '@mp/ids';
import type { Transaction } from '@mp/service-kit/mongo';
import type { ApplyInput } from './apply-inputs.ts';
import { isOpen } from './run.ts';
import type { StoredRun } from './run-document.ts';
import type { RunsStore } from './runs-store.ts';

type Deps = { runs: RunsStore; applyInput: ApplyInput };

/**
 * Moves runs to another contact: open ones continue there, ended ones count there. An open run exits if the entry policy
 * admits the contact only once and the other contact already has a run.
 */
export async function transferRuns(
  tx: Transaction,
  { runs, applyInput }: Deps,
  { transferred, to, why }: { transferred: readonly StoredRun[]; to: ContactId; why: string },
) {
  for (const run of transferred) {
    const isTaken = await runs.isTaken(tx, run, to);
    if (isOpen(run) && isTaken) await applyInput(tx, run, { type: 'exit', reason: 'contact_merged' });
    else if (!isTaken) {
      await runs.transfer(tx, run, to);
      if (isOpen(run)) await applyInput(tx, run, { type: 'moved_contact', to, why });
    }
  }
}
