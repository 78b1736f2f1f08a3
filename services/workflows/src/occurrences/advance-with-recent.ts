import type { Transaction } from '@mp/service-kit/mongo';
import type { ContactsStore } from '../contacts/contacts-store.ts';
import { advance } from '../runs/advance.ts';
import type { Advanced, Input } from '../runs/run.ts';
import type { StoredRun } from '../runs/run-document.ts';
import type { Definition } from '../workflows/definition.ts';
import { stepWatches, wholeRunWatches } from '../workflows/watch-keys.ts';
import type { OccurrencesStore } from './occurrences-store.ts';

export type AdvanceWithRecent = ReturnType<typeof createAdvanceWithRecent>;

type Deps = { occurrences: Pick<OccurrencesStore, 'since'>; contacts: Pick<ContactsStore, 'lockSurvivors'> };

/** An input of a run. With `hold`, it takes no further step for now. */
export type Advancing = { definition: Definition; before: StoredRun; input: Input; hold?: boolean };

/** What a run that has just started to watch may have missed: `keys`, since then. */
type Missed = { run: StoredRun; keys: readonly string[]; since: Date };

type Continuing = { advancing: Advancing; missed: Missed };

/**
 * Advances runs, and applies what happened while they were not yet watching, although it counts: since the start of the run
 * for a new run, since its last step for one that reaches a `wait_until` step. Locks the contacts, so that an event that is
 * applied concurrently either finds the run or is found here.
 */
export function createAdvanceWithRecent({ occurrences, contacts }: Deps) {
  async function recent(tx: Transaction, missed: readonly Missed[]) {
    if (missed.length === 0) return [];
    const survivors = await contacts.lockSurvivors(
      tx,
      missed.map(({ run }) => ({ accountId: run.account_id, contactId: run.contact_id })),
    );
    const queries = missed.map(({ run, keys, since }) => {
      const contactId = survivors.get(run.contact_id) ?? run.contact_id;
      return { accountId: run.account_id, contactId, keys, since, except: run.trigger.event_id };
    });
    return occurrences.since(tx, queries);
  }

  /** Applies to each run what it missed, until something advances it. Undefined for runs that nothing advances. */
  async function caughtUp(tx: Transaction, continuing: readonly Continuing[], now: Date): Promise<(Advanced | undefined)[]> {
    const found = await recent(
      tx,
      continuing.map(({ missed }) => missed),
    );
    return continuing.map(({ advancing: { definition, hold = false }, missed: { run } }, index) => {
      for (const { occurred, at } of found[index] ?? []) {
        const advanced = advance(definition, run, { type: 'occurred', occurred, at: at.toISOString(), hold }, now);
        if (advanced.run !== run) return advanced;
      }
      return undefined;
    });
  }

  return async function advanceWithRecent(tx: Transaction, all: readonly Advancing[], now: Date): Promise<Advanced[]> {
    const starting = all.flatMap((advancing) => {
      const { before: run, definition, input } = advancing;
      const keys = run.sequence === 0 && input.type === 'wake' ? wholeRunWatches(definition) : [];
      return keys.length === 0 ? [] : [{ advancing, missed: { run, keys, since: new Date(run.began) } }];
    });
    const ended = await caughtUp(tx, starting, now);
    const results = new Map<Advancing, Advanced>();
    for (const [index, { advancing }] of starting.entries()) {
      const end = ended[index];
      if (end) results.set(advancing, end);
    }

    const continuing = all.flatMap((advancing) => {
      if (results.has(advancing)) return [];
      const { before, definition, input } = advancing;
      const advanced = advance(definition, before, input, now);
      results.set(advancing, advanced);
      const { run } = advanced;
      const isNew = run.step !== before.step || before.waiting === null || before.waiting.for === 'capacity';
      const keys = run !== before && isNew ? stepWatches(definition, run) : [];
      if (keys.length === 0 || run.waiting === null || run.waiting.for === 'capacity') return [];
      return [{ advancing, missed: { run: { ...before, ...run }, keys, since: new Date(run.reached) } }];
    });
    const continued = await caughtUp(tx, continuing, now);
    for (const [index, { advancing }] of continuing.entries()) {
      const [first, second] = [results.get(advancing), continued[index]];
      if (!first || !second) continue;
      results.set(advancing, { ...second, log: [...first.log, ...second.log], passages: [...first.passages, ...second.passages] });
    }
    return all.flatMap((advancing) => results.get(advancing) ?? []);
  };
}
