import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { buildPackage } from '../libs/snippet/build/package.ts';
import { examplesOf, installPackage } from './packages.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const bin = (name: string) => join(root, 'node_modules/.bin', name);

test('the packed snippet has no dependencies, its types and exports are correct, and it can be imported without a browser', async (t) => {
  const { dist, tarball, project } = await installPackage(t, buildPackage);
  const installed = await readdir(join(project, 'node_modules'));
  assert.deepEqual(
    installed.filter((name) => !name.startsWith('.')),
    ['@marketing-platform'],
  );
  await run(bin('publint'), ['--strict', dist]);
  await run(bin('attw'), ['--profile', 'esm-only', tarball]);

  await writeFile(join(project, 'example.ts'), await examplesOf('libs/snippet/README.md'));
  const compilerOptions = { target: 'es2023', module: 'nodenext', lib: ['es2023', 'dom'], types: [], strict: true, skipLibCheck: false };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['example.ts'] }));
  await run(bin('tsc'), ['-p', project]).catch((error: { stdout: string }) => assert.fail(error.stdout));

  // Sites that render pages on a server import the module there, too.
  const code = "const { createTracker } = await import('@marketing-platform/snippet'); console.log(typeof createTracker)";
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', code], { cwd: project });
  assert.equal(stdout, 'function\n');
});
