import { prepareCollection } from '@mp/service-kit/mongo';
import type { Collection, Db } from 'mongodb';
import type { LogDocument } from './log-document.ts';
import { openStates } from './run.ts';
import type { RunDocument } from './run-document.ts';

/** Where runs and their logs are stored. Only the files of this folder and the counters in `counts/` use them. */
export type RunCollections = { runs: Collection<RunDocument>; log: Collection<LogDocument> };

export const runCollections = (db: Db): RunCollections => ({ runs: db.collection('runs'), log: db.collection('run_steps') });

/** Matches runs that have not ended. */
export const openRunFilter = { state: { $in: [...openStates] } };

export async function prepareRunCollections(db: Db) {
  const { runs, log } = runCollections(db);
  await prepareCollection(
    runs,
    [
      { key: { due_at: 1, account_id: 1 }, name: 'due', partialFilterExpression: { due_at: { $exists: true } } },
      { key: { priority: 1, due_at: 1, account_id: 1 }, name: 'due_first', partialFilterExpression: { priority: { $exists: true } } },
      {
        key: { call_at: 1, account_id: 1, 'waiting.host': 1 },
        name: 'calls',
        partialFilterExpression: { call_at: { $exists: true } },
      },
      {
        key: { capacity: 1, workflow_id: 1, account_id: 1, created_at: 1, _id: 1 },
        name: 'capacity',
        partialFilterExpression: { capacity: { $exists: true } },
      },
      {
        key: { account_id: 1, 'waiting.held': 1, _id: 1 },
        name: 'held',
        partialFilterExpression: { 'waiting.held': { $exists: true } },
      },
      { key: { account_id: 1, workflow_id: 1, contact_id: 1, locks: 1 }, name: 'locks', unique: true },
      { key: { account_id: 1, workflow_id: 1, created_at: 1, _id: 1 } },
      { key: { account_id: 1, workflow_id: 1, state: 1, created_at: 1, _id: 1 } },
      { key: { account_id: 1, workflow_id: 1, step: 1, state: 1, created_at: 1, _id: 1 } },
      { key: { account_id: 1, contact_id: 1, workflow_id: 1, created_at: 1, _id: 1 } },
      { key: { account_id: 1, was: 1 }, name: 'was', partialFilterExpression: { was: { $exists: true } } },
      {
        key: { account_id: 1, contact_id: 1, watches: 1 },
        name: 'watches',
        partialFilterExpression: { watches: { $exists: true } },
      },
    ],
    db,
  );
  await prepareCollection(
    log,
    [
      { key: { account_id: 1, run_id: 1, sequence: 1 }, unique: true },
      {
        key: { uncounted: 1, account_id: 1, workflow_id: 1 },
        name: 'uncounted',
        partialFilterExpression: { uncounted: { $exists: true } },
      },
    ],
    db,
  );
}
