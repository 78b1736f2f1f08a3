import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { folderFor } from '../test/folder.ts';
import { findProgram, type Search } from './find.ts';

const quiet = () => {};

test('uses the first way that provides a program that runs and is new enough', async (t) => {
  const folder = folderFor(t);
  const old = programAt(folder, 'old', '3.6.0');
  const fitting = programAt(folder, 'fitting', '4.0.10');
  const found = await findProgram(searchFor([nothing, failing, at(join(folder, 'missing')), at(old), at(fitting)]), quiet);
  assert.deepEqual(found, { path: fitting, version: '4.0.10' });
});

test('opens existing data with the program that wrote it, or with another version of its series', async (t) => {
  const folder = folderFor(t);
  const writer = programAt(folder, 'writer', '7.0.2');
  const newer = programAt(folder, 'newer', '8.0.1');
  const sibling = programAt(folder, 'sibling', '7.0.14');
  const before = { path: writer, version: '7.0.2' };
  assert.deepEqual(await findProgram({ ...searchFor([at(newer)]), before }, quiet), before);

  const gone = { path: join(folder, 'gone'), version: '7.0.2' };
  assert.equal((await findProgram({ ...searchFor([at(newer), at(sibling)]), before: gone }, quiet)).path, sibling);
  await assert.rejects(findProgram({ ...searchFor([at(newer)]), before: gone }, quiet), (error: Error) => {
    assert.match(error.message, /was written by no-such-mongod 7\.0\.2 \(.*gone\), which no longer exists/);
    assert.match(error.message, /newer is 8\.0\.1/);
    return true;
  });
});

test('when no way works, the error says why each one failed and what to do', async () => {
  await assert.rejects(findProgram(searchFor([nothing, failing]), quiet), (error: Error) => {
    assert.match(
      error.message,
      /PATH: not found\n {2}nothing: not found\n {2}failing: the network is down\nWhat you can do:\n {2}- install it$/,
    );
    return true;
  });
});

const nothing = { what: 'nothing', find: async () => undefined };
const failing = { what: 'failing', find: () => Promise.reject(new Error('the network is down')) };
const at = (path: string) => ({ what: path, find: async () => path });

function searchFor(ways: Search['ways']): Search {
  return { program: 'no-such-mongod', least: '4.0.0', dataFolder: '/data', ways, advice: ['install it'] };
}

function programAt(folder: string, name: string, version: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\necho "db version v${version}"\n`);
  chmodSync(path, 0o755);
  return path;
}
