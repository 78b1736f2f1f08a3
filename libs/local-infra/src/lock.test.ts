import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import test from 'node:test';
import { folderFor } from '../test/folder.ts';
import { withLock } from './lock.ts';

test('one process holds the lock at a time, and a failure releases it', async (t) => {
  const path = join(folderFor(t), 'lock');
  const order: string[] = [];
  const { promise: secondWaits, resolve: onWait } = Promise.withResolvers<void>();
  const first = withLock(path, async () => {
    order.push('first begins');
    await secondWaits;
    order.push('first ends');
    throw new Error('it went wrong');
  });
  const second = withLock(path, async () => order.push('second'), { onWait });
  await assert.rejects(first, /it went wrong/);
  await second;
  assert.deepEqual(order, ['first begins', 'first ends', 'second']);
});

test('a lock is released when its holder is killed with -9', async (t) => {
  const path = join(folderFor(t), 'lock');
  const code = `import { withLock } from ${JSON.stringify(join(import.meta.dirname, 'lock.ts'))};
    await withLock(${JSON.stringify(path)}, () => { console.log('held'); return new Promise((resolve) => setTimeout(resolve, 60_000)); });`;
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(holder.stdout, 'data');
  await assert.rejects(
    withLock(path, async () => {}, { waitMs: 200 }),
    /has held/,
  );
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  await withLock(path, async () => {});
});
