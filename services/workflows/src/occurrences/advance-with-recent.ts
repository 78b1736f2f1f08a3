import type { Transaction } from '@mp/service-kit/mongo';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { advance } from '../runs/advance.ts';
import type { Advanced, Input } from '../runs/run.ts';
import type { StoredRun } from '../runs/run-document.ts';
import type { Definition } from '../workflows/definition.ts';
import { stepWatches, wholeRunWatches } from '../workflows/watch-keys.ts';
import type { OccurrencesStore } from './occurrences-store.ts';

export type AdvanceWithRecent = ReturnType<typeof createAdvanceWithRecent>;

type Deps = { occurrences: Pick<OccurrencesStore, 'since'>; contacts: Pick<ContactsStore, 'lockSurvivor'> };

/** What a run that has just started to watch may have missed: `keys`, since then. */
type Missed = { keys: readonly string[]; since: Date };

/**
 * Advances a run, and applies what happened while it was not yet watching, although it counts: since the start of the run
 * for a new run, since its last step for one that reaches a `wait_until` step. Locks the contact, so that an event that is
 * applied concurrently either finds the run or is found here.
 */
export function createAdvanceWithRecent({ occurrences, contacts }: Deps) {
  async function missed(tx: Transaction, run: StoredRun, { keys, since }: Missed) {
    const { account_id: accountId, contact_id, trigger } = run;
    const contactId = (await contacts.lockSurvivor(tx, accountId, contact_id)) ?? contact_id;
    return occurrences.since(tx, { accountId, contactId, keys, since, except: trigger.event_id });
  }

  /** Applies each of them to the run until one advances it. */
  async function applied(
    tx: Transaction,
    { definition, run, sought, now, hold }: { definition: Definition; run: StoredRun; sought: Missed; now: Date; hold: boolean },
  ) {
    for (const { occurred, at } of await missed(tx, run, sought)) {
      const advanced = advance(definition, run, { type: 'occurred', occurred, at: at.toISOString(), hold }, now);
      if (advanced.run !== run) return advanced;
    }
    return undefined;
  }

  return async function advanceWithRecent(
    tx: Transaction,
    {
      definition,
      before,
      input,
      now,
      hold = false,
    }: { definition: Definition; before: StoredRun; input: Input; now: Date; hold?: boolean },
  ): Promise<Advanced> {
    const everywhere = before.sequence === 0 && input.type === 'wake' ? wholeRunWatches(definition) : [];
    if (everywhere.length > 0) {
      const ended = await applied(tx, { definition, run: before, sought: { keys: everywhere, since: new Date(before.began) }, now, hold });
      if (ended) return ended;
    }
    const advanced = advance(definition, before, input, now);
    const { run } = advanced;
    const isNew = run.step !== before.step || before.waiting === null || before.waiting.for === 'capacity';
    const keys = run !== before && isNew ? stepWatches(definition, run) : [];
    if (keys.length === 0 || run.waiting === null || run.waiting.for === 'capacity') return advanced;
    const there: StoredRun = { ...before, ...run };
    const since = new Date(run.reached);
    const continued = await applied(tx, { definition, run: there, sought: { keys, since }, now, hold });
    if (!continued) return advanced;
    const passages = [...advanced.passages, ...continued.passages];
    return { ...continued, log: [...advanced.log, ...continued.log], passages };
  };
}
