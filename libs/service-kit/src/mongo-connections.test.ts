import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import './mongo.ts';

const { Connection } = createRequire(import.meta.url)('mongodb/lib/cmap/connection.js');

test('rejects a command whose connection closes before it is written', async () => {
  const socket = Object.assign(new EventEmitter(), { write: () => false });
  const connection = Object.assign(Object.create(Connection.prototype), { socket, error: null });
  const writing = connection.writeCommand({ toBin: async () => [Buffer.from('x')] }, { agreedCompressor: 'none' });
  connection.error = new Error('connection 1 closed');
  connection.emit('close');
  await assert.rejects(writing, /connection 1 closed/);
  assert.equal(connection.listenerCount('close'), 0);
});
