import { mkdir, writeFile } from 'node:fs/promises';
import { brotliCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { advance } from '../src/runs/advance.ts';
import type { Run } from '../src/runs/run.ts';
import { arbitraryDefinition } from './arbitraries.ts';
import { live, newRun } from './live.ts';
import { type RecordedRun, recordedRunsFile } from './recorded-runs.ts';

/*
 * Records what `advance` decides, once for each release: `node services/workflows/test/record-runs.ts VERSION`. The next
 * versions replay it, see recorded-runs.test.ts.
 */
const [version = ''] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error('Usage: node services/workflows/test/record-runs.ts VERSION');

const chances = fc.array(fc.nat(1_000), { minLength: 1, maxLength: 40 });
const played = fc.tuple(arbitraryDefinition({ loops: true }), chances);
const recorded = fc.sample(played, { seed: 1, numRuns: 400 }).map(([definition, chance]): RecordedRun => {
  let run: Run = newRun(definition);
  const turns = live(definition, chance, 40).inputs.map(({ input, now }) => {
    const advanced = advance(definition, run, input, now);
    run = advanced.run;
    return { input, now: now.toISOString(), advanced };
  });
  return { definition, run: newRun(definition), turns };
});
const file = recordedRunsFile(version);
await mkdir(new URL('.', file), { recursive: true });
await writeFile(file, brotliCompressSync(JSON.stringify(recorded)));
