import { readFile } from 'node:fs/promises';
import { brotliDecompressSync } from 'node:zlib';
import type { Advanced, Input, Run } from '../src/runs/run.ts';
import type { Definition } from '../src/workflows/definition.ts';

/** A run as a released version decided it: for each input, what `advance` returned. */
export type RecordedRun = { definition: Definition; run: Run; turns: { input: Input; now: string; advanced: Advanced }[] };

export const recordedRunsFile = (version: string) => new URL(`recorded-runs/${version}.json.br`, import.meta.url);

export async function readRecordedRuns(version: string): Promise<RecordedRun[]> {
  return JSON.parse(brotliDecompressSync(await readFile(recordedRunsFile(version))).toString());
}
