import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { test } from 'node:test';
import { builtDashboard } from './built-dashboard.ts';

const maxFirstPageBytes = 250_000;
const dist = new URL('../dist', import.meta.url).pathname;

/** The scripts that a page needs before it shows anything: those of index.html, and every module that they import statically. */
async function scriptsOf(page: string): Promise<ReadonlySet<string>> {
  const html = await readFile(`${dist}/index.html`, 'utf8');
  const found = new Set([...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path = '']) => path));
  const entry = await readFile(dist + ([...found][0] ?? ''), 'utf8');
  const lazy = new RegExp(`/?(assets/${page}-[\\w-]+\\.js)`).exec(entry)?.[1];
  assert.ok(lazy, `the script of ${page}`);
  found.add(`/${lazy}`);
  for (const path of found) {
    const code = await readFile(dist + path, 'utf8');
    for (const [, name] of code.matchAll(/(?:from|^import|;import)\s*"\.\/([^"]+\.js)"/g)) found.add(`/assets/${name}`);
  }
  return found;
}

test('the first page loads at most 250 kB of script, compressed', async () => {
  await builtDashboard();
  const scripts = [...(await scriptsOf('overview-page'))];
  const sizes = await Promise.all(scripts.map(async (path) => (await stat(`${dist}${path}.gz`)).size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(scripts.length > 2, scripts.join(' '));
  assert.ok(total <= maxFirstPageBytes, `${total} bytes: ${scripts.map((path, index) => `${path} ${sizes[index]}`).join(', ')}`);
});
