import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const Results = z.object({ files: z.number(), passed: z.number(), skipped: z.number(), failed: z.array(z.string()) });
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
  files: parts.reduce((total, { files }) => total + files, 0),
  passed: parts.reduce((total, { passed }) => total + passed, 0),
  skipped: parts.reduce((total, { skipped }) => total + skipped, 0),
  failed: parts.flatMap(({ failed }) => failed),
});
