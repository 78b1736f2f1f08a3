import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { z } from 'zod';
import { isLong } from '../scripts/test-files.ts';
import { importGraph, workspaces } from './import-graph.ts';

const root = join(import.meta.dirname, '..');
const Plan = z.object({ tasks: z.array(z.object({ directory: z.string(), inputs: z.record(z.string(), z.string()) })) });

test('a change of any file that a test imports or names makes its package run again', async () => {
  const { stdout } = await promisify(execFile)('npx', ['turbo', 'run', 'test', '--dry=json'], { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  const graph = importGraph([...workspaces, 'tests', 'scripts']);
  const { tasks } = Plan.parse(JSON.parse(stdout));
  assert.ok(tasks.length > 15);
  const missing = tasks.flatMap(({ directory, inputs }) => {
    const known = Object.keys(inputs).map((input) => relative(root, join(root, directory, input)));
    const isKnown = (path: string) => known.some((input) => input === path || input.startsWith(`${path}/`));
    const tests = [...graph.keys()].filter((file) => file.startsWith(`${directory}/`) && file.endsWith('.test.ts') && !isLong(file));
    const read = [...closure(tests)].flatMap((file) => [file, ...filesNamedIn(file)]);
    return [...new Set(read.filter((path) => !isKnown(path)))].map((path) => `${directory}: ${path}`);
  });
  assert.deepEqual(missing, [], 'turbo.json of the package names these as inputs of its task `test`');

  function closure(files: readonly string[], found = new Set<string>()): Set<string> {
    for (const file of files) {
      if (found.has(file)) continue;
      found.add(file);
      closure(graph.get(file) ?? [], found);
    }
    return found;
  }
});

/** Files and folders of the repository that a module names by a path from its own folder. */
function filesNamedIn(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const paths = [...text.matchAll(/import\.meta\.dirname, '(\.\.?\/[^']+)'|new URL\('(\.\.?\/[^']+)', import\.meta\.url\)/g)];
  return paths.flatMap(([, joined, resolved]) => {
    const path = relative('.', join(dirname(file), joined ?? resolved ?? ''));
    // What is not in the repository is built or downloaded by the tests.
    return path !== '' && !/(^|\/)(\.data|dist)(\/|$)/.test(path) && existsSync(join(root, path)) ? [path] : [];
  });
}
