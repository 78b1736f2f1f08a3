import type { JournalEntry, JournalOf } from '@mp/contracts/journal';
import type { Clock } from '@mp/service-kit/clock';
import type { RunsStore } from '../runs/runs-store.ts';
import type { DeliveredStore } from './delivered-store.ts';

type Deps = {
  runs: Pick<RunsStore, 'findOne'>;
  delivered: DeliveredStore;
  applyDelivered: (entry: JournalOf<'delivery'>) => Promise<number>;
  clock: Clock;
};

/**
 * Records which webhooks were called and which messages were sent after the backup, so that restored runs, and runs that
 * start again because of the restore, do not call or send them a second time.
 */
export const createApplyJournal =
  ({ runs, delivered, applyDelivered, clock }: Deps) =>
  async (journal: AsyncIterable<JournalEntry>) => {
    const done = { webhooks: 0, messages: 0, deliveries: 0 };
    for await (const entry of journal) {
      if (entry.kind === 'delivery') done.deliveries += await applyDelivered(entry);
      if (entry.kind !== 'effect') continue;
      const run = await runs.findOne(entry.account_id, entry.run_id);
      if (run && isInBackup(run.sequence, entry)) continue;
      if (await delivered.add(entry, run === undefined, clock())) done[entry.type === 'webhook' ? 'webhooks' : 'messages'] += 1;
    }
    return done;
  };

/** The restored run is already past this effect: it has the webhook's response, or has requested the message from campaigns. */
function isInBackup(sequence: number, { effect_key, type }: JournalOf<'effect'>): boolean {
  const effectSequence = Number(effect_key.split(':')[1]);
  return type === 'webhook' ? sequence > effectSequence : sequence >= effectSequence;
}
