import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { optionalPrograms } from '@mp/local-infra/test-tools';
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

test('a test that is skipped without a program runs again once it is installed', () => {
  const tests = [...importGraph([...workspaces, 'tests', 'scripts']).keys()].filter((file) => file.endsWith('.test.ts') && !isLong(file));
  const named = tests.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    if (text.includes('withoutBrowser')) return ['chromium'];
    const calls = text.matchAll(/\b(?:without|skipWithout)\(([^)]*)\)/g);
    return [...calls].flatMap(([, programs = '']) => [...programs.matchAll(/'([^']+)'/g)].map(([, program = '']) => program));
  });
  assert.ok(named.length > 5);
  const known = new Set<string>(optionalPrograms);
  assert.deepEqual(
    [...new Set(named)].filter((program) => !known.has(program)),
    [],
    'libs/local-infra/src/test-tools.ts lists it, and so it is part of the hash of each task',
  );
});

/** Files and folders of the repository that a module names by a path from its own folder, or from the root if it names that. */
function filesNamedIn(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const own = [...text.matchAll(/import\.meta\.dirname, '(\.\.?(?:\/[^']*)?)'|new URL\('(\.\.?\/[^']*)', import\.meta\.url\)/g)];
  const paths = own.map(([, joined, resolved]) => relative('.', join(dirname(file), joined ?? resolved ?? '')));
  const inRoot = paths.includes('') ? [...text.matchAll(/\bjoin\(root, ((?:'[^']+'(?:, )?)+)\)/g)] : [];
  const named = inRoot.map(([, names = '']) => join(...[...names.matchAll(/'([^']+)'/g)].map(([, name = '']) => name)));
  return [...paths, ...named].filter(
    // What is not in the repository is built or downloaded by the tests.
    (path) => path !== '' && !/(^|\/)(\.data|dist)(\/|$)/.test(path) && existsSync(join(root, path)),
  );
}
