import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { advance } from '../src/runs/advance.ts';
import type { Advanced } from '../src/runs/run.ts';
import { readDefinition } from '../src/workflows/stored-definition.ts';
import { readRecordedRuns, recordedRunsFile } from './recorded-runs.ts';

const versions = readdirSync(new URL('.', recordedRunsFile('0.1.0'))).map((file) => file.replace('.json.br', ''));

for (const version of versions) {
  test(`runs continue as version ${version} would have continued them`, async () => {
    const recorded = await readRecordedRuns(version);
    const types = new Set<string>();
    for (const { definition: stored, run: begun, turns } of recorded) {
      const definition = readDefinition(JSON.stringify(stored));
      for (const { type } of definition.steps) types.add(type);
      let run = begun;
      for (const { input, now, advanced } of turns) {
        const result = advance(definition, run, input, new Date(now));
        if (endsInItsTurn(result, now)) {
          assert.deepEqual(
            [result.effects, result.wakeAt !== null && result.wakeAt <= new Date(now)],
            [[], true],
            'it only waits to be ended',
          );
        } else {
          assert.deepEqual(asRecorded(result), advanced, `${JSON.stringify(input)} on ${JSON.stringify(run)}`);
        }
        ({ run } = advanced);
      }
    }
    assert.equal(types.size, 16, 'every type of step is recorded');
  });
}

/** A result as JSON, in which runs are stored, without what earlier versions did not write. */
function asRecorded(result: unknown): unknown {
  return JSON.parse(JSON.stringify(result, (name, value) => (name === 'held' ? undefined : value)));
}

/**
 * A run that reaches a wait after its end. 0.1.0 went on at once; now the engine ends the wait like any other, when everything that
 * happened before has been applied (docs/decisions/0330).
 */
const endsInItsTurn = ({ run: { waiting } }: Advanced, now: string): boolean => waiting?.for === 'event' && waiting.until <= now;
