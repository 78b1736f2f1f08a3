import assert from 'node:assert/strict';
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { folderFor } from '../test/folder.ts';
import { keepSecrets } from './secrets.ts';

test('secrets are created once, and a file that has them all is not written again', (t) => {
  const dir = folderFor(t);
  const path = join(dir, 'secrets.json');
  const first = keepSecrets(dir);
  // A service that watches the file would start again.
  utimesSync(path, 1, 1);
  assert.deepEqual(keepSecrets(dir), first);
  assert.equal(statSync(path).mtimeMs, 1_000);
});

test('a key that is missing is added, and the others are kept', (t) => {
  const dir = folderFor(t);
  const path = join(dir, 'secrets.json');
  const { LINK_KEYS, ...others } = keepSecrets(dir);
  writeFileSync(path, JSON.stringify(others));
  const again = keepSecrets(dir);
  assert.deepEqual({ ...again, LINK_KEYS: undefined }, { ...others, LINK_KEYS: undefined });
  assert.ok(again.LINK_KEYS && again.LINK_KEYS !== LINK_KEYS);
  assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), again);
});
