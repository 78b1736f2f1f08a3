import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { JournalEntry } from '@mp/contracts/journal';
import { streams } from '@mp/contracts/streams';
import { testParts } from '@mp/test-kit/parts';
import { readJournal } from './journal.ts';

const exported = '{"kind":"exported","since":"2026-05-01T00:00:00.000Z","at":"2026-05-02T00:00:00.000Z"}';
async function read(...lines: string[]) {
  const entries: JournalEntry[] = [];
  for await (const entry of readJournal(Readable.from([lines.join('\n')]))) entries.push(entry);
  return entries;
}

test('a journal is read whole or refused: cut off, or with a line that is none', async () => {
  assert.deepEqual(
    (await read(exported, '', exported, '')).map(({ kind }) => kind),
    ['exported', 'exported'],
  );
  const revoked = '{"kind":"credential","account_id":"a","at":"2026-05-01T10:00:00.000Z","credential_id":"key_1"}';
  assert.equal((await read(revoked, exported)).length, 2);
  await assert.rejects(read(exported, revoked), /cut off/);
  await assert.rejects(read(), /cut off/);
  await assert.rejects(read(exported, '{"level":30,"msg":"ready"}', exported), /Line 2 is not an entry of the journal: \{"level"/);
});

test('a stream is read since a moment, in order; what is older is not, and nothing is no reason to wait', async (t) => {
  const { broker } = await testParts(t, 'kit');
  broker.start();
  const { manager } = await broker.connected();
  const stream = broker.streamOf(streams.segments.name);
  const since = async (moment: Date) => {
    const found: string[] = [];
    const kept = await broker.readSince(streams.segments, moment, async (payload) => void found.push(payload));
    return { kept, found };
  };
  assert.deepEqual(await since(new Date(0)), { kept: undefined, found: [] });
  for (const text of ['one', 'two', 'three', 'four']) await broker.publish('segments.test', text);
  const { messages } = (await manager.streams.info(stream)).state;
  assert.equal(messages, 4);
  assert.deepEqual((await since(new Date(0))).found, ['one', 'two', 'three', 'four']);
  await manager.streams.deleteMessage(stream, 4);
  assert.deepEqual((await since(new Date(Date.now() + 60_000))).found, []);
});
