import { TrackEffectRequested } from '@mp/contracts/events/workflows';
import type { AccountId } from '@mp/ids';
import type { Mongo } from '@mp/service-kit/mongo';
import { writtenEvents } from '@mp/test-kit/written-events';

/** Replaces the generated ids of runs in a text by what started the runs, which is the same in every database. */
export async function runNames({ db }: Mongo, accounts: readonly AccountId[]) {
  const runs = await db
    .collection('runs')
    .find({ account_id: { $in: [...accounts] } })
    .toArray();
  const names = new Map<string, string>();
  const named = (text: string) => text.replaceAll(/run_[0-9a-z]{26}/g, (id) => names.get(id) ?? id);
  const nameOf = (_id: unknown, cause: string) => names.set(String(_id), cause);
  for (const { _id, workflow_id, trigger } of runs)
    if (trigger.event_id !== null) nameOf(_id, `run of ${workflow_id} by ${trigger.event_id}`);
  for (const { _id, workflow_id, trigger, locks } of runs)
    if (trigger.event_id === null) nameOf(_id, `run of ${workflow_id} by ${named(JSON.stringify([...locks].sort()))}`);
  return { runs, named };
}

/** What the service has stored and published about these accounts, in an order of its own. Runs are named by what started them. */
export async function worldState(mongo: Mongo, accounts: readonly AccountId[]) {
  const { db } = mongo;
  const rowsOf = (name: string) =>
    db
      .collection(name)
      .find({ account_id: { $in: [...accounts] } })
      .toArray();
  const { runs, named } = await runNames(mongo, accounts);
  const comparable = (rows: readonly unknown[]) =>
    rows.map((row) => named(JSON.stringify(row, (field, value) => (field === 'touched' ? undefined : value)))).sort();
  const events = (await writtenEvents(db)).filter(({ envelope }) => accounts.includes(envelope.account_id));
  for (const { envelope } of events) if (envelope.type === TrackEffectRequested.type) delete envelope.data.event_id;
  return {
    runs: comparable(runs.map(({ locks, ...run }) => ({ ...run, locks: [...locks].sort() }))),
    steps: comparable(await rowsOf('run_steps')),
    contacts: comparable(await rowsOf('contacts')),
    occurrences: comparable(await rowsOf('occurrences')),
    candidates: comparable(await rowsOf('candidates')),
    events: comparable(events.map(({ envelope: { id, time, traceparent, ...envelope } }) => envelope)),
  };
}
