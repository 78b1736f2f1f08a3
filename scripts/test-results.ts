import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const Results = z.object({
  passed: z.number(),
  skipped: z.number(),
  /** `error` is what the test threw, with its stack. */
  failed: z.array(z.object({ test: z.string(), error: z.string() })),
  /** How long each file took, by its path from the root. */
  seconds: z.record(z.string(), z.number()),
});
export type Results = z.infer<typeof Results>;

/** Turbo keeps this file with the output of the task, so that tests that were not repeated are counted too. */
const name = '.turbo/test-results.json';
const inPackages = ['.', 'dashboard', 'libs/*', 'services/*'].map((folder) => join(folder, name));

export function writeResults(folder: string, results: Results): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
}

export const clearResults = (root: string): void => {
  for (const path of globSync(inPackages, { cwd: root })) rmSync(join(root, path));
};

export const readResults = (root: string): Results =>
  sum(globSync(inPackages, { cwd: root }).map((path) => Results.parse(JSON.parse(readFileSync(join(root, path), 'utf8')))));

export const sum = (parts: readonly Results[]): Results => ({
  passed: parts.reduce((total, { passed }) => total + passed, 0),
  skipped: parts.reduce((total, { skipped }) => total + skipped, 0),
  failed: parts.flatMap(({ failed }) => failed),
  seconds: Object.assign({}, ...parts.map(({ seconds }) => seconds)),
});

/** The files that took at least two seconds when all were measured, so that bundles take about as long as each other. */
const durations = join(import.meta.dirname, 'test-durations.json');

export const readDurations = (): Readonly<Record<string, number>> =>
  Results.shape.seconds.parse(JSON.parse(readFileSync(durations, 'utf8')));

export function writeDurations(seconds: Results['seconds']): void {
  const long = Object.entries(seconds).flatMap(([file, its]) => (its >= 2 ? [[file, Math.round(its)] as const] : []));
  writeFileSync(durations, `${JSON.stringify(Object.fromEntries(long.sort()), null, 2)}\n`);
}
