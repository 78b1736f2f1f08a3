import assert from 'node:assert/strict';
import type { AccountId, WorkflowId } from '@mp/ids';
import type { Parts } from '@mp/service-kit/service-parts';
import { keyed, secondsToGoal, stepCounts } from '../src/analytics/step-counts.ts';
import { createCountsStore } from '../src/counts/counts-store.ts';
import type { LogDocument } from '../src/runs/log-document.ts';
import type { RunDocument } from '../src/runs/run-document.ts';

const endedHere = new Set(['exited', 'cancelled', 'converted']);

/**
 * Compares the counters of a workflow with a count of its runs and their log, in one snapshot, so it also holds while they
 * change. It assumes that no run was started again from a step. Returns the number of runs.
 */
export async function assertRecount({ mongo }: Pick<Parts, 'mongo'>, accountId: AccountId, workflowId: WorkflowId): Promise<number> {
  const { byStep, runs, entries } = await mongo.transaction({ correlationId: 'recount', causationId: null }, async (tx) => {
    const ofWorkflow = { account_id: accountId, workflow_id: workflowId };
    const { session } = tx;
    const log = await mongo.db.collection<LogDocument>('run_steps').find(ofWorkflow, { session }).toArray();
    return {
      byStep: await createCountsStore(mongo.db).totals(tx, accountId, workflowId),
      runs: await mongo.db.collection<RunDocument>('runs').find(ofWorkflow, { session }).toArray(),
      entries: log.flatMap((row) => row.entries),
    };
  });
  const nonZero = (counts: Iterable<readonly [string, number]>) =>
    Object.fromEntries([...counts].filter(([, count]) => count !== 0).sort());
  const tally = (names: readonly string[]) =>
    nonZero([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length] as const));
  assert.deepEqual(nonZero(keyed(byStep.get('') ?? {}, 'now')), tally(runs.map(({ state }) => state)), 'runs by state');

  const converted = runs.flatMap(({ state, reason, began = '', converted_at = '' }) =>
    state === 'converted' ? [{ goal: reason, seconds: (Date.parse(converted_at) - Date.parse(began)) / 1_000 }] : [],
  );
  assertQuantiles(
    secondsToGoal(byStep.get('') ?? {}),
    converted.map(({ seconds }) => seconds),
    'time to goal',
  );

  const steps = new Set([...byStep.keys(), ...runs.flatMap(({ step }) => step ?? [])]);
  steps.delete('');
  for (const id of steps) {
    const counted = stepCounts(id, byStep.get(id));
    const here = runs.filter(({ step }) => step === id);
    const open = here.filter(({ state }) => state === 'active' || state === 'waiting').length;
    const failed = here.filter(({ state }) => state === 'failed').length;
    const exited = here.filter(({ state }) => endedHere.has(state)).length;
    const logged = tally(entries.filter(({ step }) => step === id).map(({ what }) => (what === 'taken' ? 'done' : what)));
    const sent = tally(entries.flatMap(({ step, variant }) => (step === id && variant !== undefined ? variant : [])));
    assert.deepEqual(nonZero(counted.variants.map((one) => [one.name, one.sent])), sent, `${id}: variants`);
    const left = counted.next.reduce((sum, { count }) => sum + count, 0);
    assert.deepEqual(
      { waiting: counted.waiting, failed: counted.failed, exited: counted.exited, done: counted.done, skipped: counted.skipped },
      { waiting: open, failed, exited, done: logged.done ?? 0, skipped: logged.skipped ?? 0 },
      id,
    );
    assert.equal(counted.entered, left + open + failed + exited, `${id}: every run that reached the step left it or is there`);
    const toGoal = converted.filter(({ goal }) => goal === id).map(({ seconds }) => seconds);
    assert.equal(counted.converted, toGoal.length, id);
    assertQuantiles(counted.seconds_to_goal, toGoal, `${id}: time to goal`);
  }
  return runs.length;
}

/** Each quantile is within a tenth, and what rounding to seconds adds. */
function assertQuantiles(kept: ReturnType<typeof secondsToGoal>, all: readonly number[], what: string) {
  const sorted = all.toSorted((a, b) => a - b);
  assert.equal(kept === null, sorted.length === 0, what);
  for (const [share, seconds] of kept
    ? ([
        [0.5, kept.p50],
        [0.75, kept.p75],
        [0.9, kept.p90],
      ] as const)
    : []) {
    const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
    assert.ok(Math.abs(seconds - exact) <= exact / 10 + 1, `${what}: ${share} is ${exact} s, kept as ${seconds} s`);
  }
}
