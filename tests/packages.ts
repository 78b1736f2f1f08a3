import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');

/** Packs what `build` writes and installs it in an empty project. */
export async function installPackage(t: TestContext, build: (dist: string) => Promise<string>) {
  const folder = await mkdtemp(join(tmpdir(), 'package-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const dist = await build(join(folder, 'dist'));
  await run('npm', ['pack', dist, '--pack-destination', folder]);
  const tarball = join(folder, (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? '');
  const project = join(folder, 'project');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{"name": "project", "private": true, "type": "module"}');
  await run('npm', ['install', '--ignore-scripts', '--offline', tarball], { cwd: project });
  return { folder, dist, tarball, project };
}

/** The `ts` blocks of a page, as one program. */
export async function examplesOf(page: string): Promise<string> {
  const blocks = [...(await readFile(join(root, page), 'utf8')).matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  assert.ok(blocks.length > 0, `${page} has examples`);
  return blocks.join('\n');
}
