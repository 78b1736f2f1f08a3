import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { test } from 'node:test';
import { builtDashboard } from './built-dashboard.ts';

/** What is loaded before the page's own script. */
const maxEntryBytes = 150_000;
/** More than half is shared with nearly every page, in one file. */
const maxFirstPageBytes = 215_000;
const dist = new URL('../dist', import.meta.url).pathname;

/** The scripts of index.html, with those of a page if one is named, and every module that they import statically. */
async function scriptsOf(page?: string): Promise<readonly string[]> {
  const html = await readFile(`${dist}/index.html`, 'utf8');
  const found = new Set([...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path = '']) => path));
  const entry = await readFile(dist + ([...found][0] ?? ''), 'utf8');
  if (page !== undefined) {
    const lazy = new RegExp(`/?(assets/${page}-[\\w-]+\\.js)`).exec(entry)?.[1];
    assert.ok(lazy, `the script of ${page}`);
    found.add(`/${lazy}`);
  }
  for (const path of found) {
    const code = await readFile(dist + path, 'utf8');
    for (const [, name] of code.matchAll(/(?:from|^import|;import)\s*"\.\/([^"]+\.js)"/g)) found.add(`/assets/${name}`);
  }
  return [...found];
}

/** Their size as browsers get them. */
async function sizeOf(scripts: readonly string[]) {
  const sizes = await Promise.all(scripts.map(async (path) => (await stat(`${dist}${path}.br`)).size));
  return { total: sizes.reduce((sum, size) => sum + size, 0), each: scripts.map((path, index) => `${path} ${sizes[index]}`).join(', ') };
}

test('the entry of the dashboard is at most 150 kB of script, and with the first page 215 kB, compressed', async () => {
  await builtDashboard();
  const [entry, first] = [await scriptsOf(), await scriptsOf('overview-page')];
  assert.ok(entry.length > 1 && first.length > entry.length, first.join(' '));
  const [ofEntry, ofFirst] = [await sizeOf(entry), await sizeOf(first)];
  assert.ok(ofEntry.total <= maxEntryBytes, `${ofEntry.total} bytes: ${ofEntry.each}`);
  assert.ok(ofFirst.total <= maxFirstPageBytes, `${ofFirst.total} bytes: ${ofFirst.each}`);
});
