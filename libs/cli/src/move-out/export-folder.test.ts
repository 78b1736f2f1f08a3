import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createExportFolder, fileOf, type Manifest, readManifest, rowsOf } from './export-folder.ts';

const manifest = (): Manifest => ({
  ...{ format: 'marketing-platform-export', version: 1, id: 'e1', account: { id: 'account_1', name: 'Old', url: 'https://x.example' } },
  ...{ started_at: '2026-01-01T00:00:00Z', completed_at: null, parts: {}, left_out: [] },
});

async function folderOf(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'export-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function* pages(next: string | null) {
  for (let page = Number(next ?? 0); page < 3; page += 1) yield { rows: [{ page }], next: page === 2 ? null : String(page + 1) };
}

test('a part that was killed between a row and its record resumes without losing or repeating one', async (t) => {
  const folder = await folderOf(t);
  const files = createExportFolder(folder, manifest());
  await assert.rejects(
    files.write('contacts', async function* (next) {
      for await (const page of pages(next)) {
        if (page.next === null) throw new Error('killed');
        yield page;
      }
    }),
  );
  await writeFile(fileOf(folder, 'contacts'), `${await readFile(fileOf(folder, 'contacts'), 'utf8')}{"page": "not recor`);
  const known = await readManifest(folder);
  assert.ok(known);
  await createExportFolder(folder, known).write('contacts', pages);
  const rows = [];
  for await (const row of rowsOf(folder, 'contacts', known)) rows.push(row.page);
  assert.deepEqual(rows, [0, 1, 2]);
  assert.equal((await stat(fileOf(folder, 'contacts'))).mode & 0o077, 0);
  await createExportFolder(folder, known).write('contacts', () => assert.fail('a part that is done is not read again'));
});

test('a folder without an export, a manifest of something else and a changed file are explained in the error message', async (t) => {
  const folder = await folderOf(t);
  assert.equal(await readManifest(folder), undefined);
  assert.equal(await readManifest(join(folder, 'missing')), undefined);
  await writeFile(join(folder, 'export.json'), '{"version": 2}');
  await assert.rejects(readManifest(folder), /is not a valid export manifest/);
  const part = { done: true, next: null, bytes: 1, count: 1 };
  for (const [line, message] of [
    ['{"a":', /line 2 is not JSON/],
    ['[1]', /line 2 is not a JSON object/],
  ] as const) {
    await writeFile(fileOf(folder, 'contacts'), `{"a": 1}\n${line}\n`);
    await assert.rejects(async () => {
      for await (const _ of rowsOf(folder, 'contacts', { ...manifest(), parts: { contacts: part } }));
    }, message);
  }
});
