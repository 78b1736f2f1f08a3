import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { JournalEntry } from '@mp/contracts/journal';
import { streams } from '@mp/contracts/streams';
import { testParts } from '@mp/test-kit/test-parts';
import { pause } from './backoff.ts';
import { readJournal } from './journal.ts';

const began = '{"kind":"export","since":"2026-05-01T00:00:00.000Z"}';
const ended = (entries: number, since = '2026-05-01T00:00:00.000Z') =>
  JSON.stringify({ kind: 'exported', since, at: '2026-05-02T00:00:00.000Z', entries });
const revoked = '{"kind":"credential","account_id":"a","at":"2026-05-01T10:00:00.000Z","credential_id":"key_1"}';
async function read(...lines: string[]) {
  const entries: JournalEntry[] = [];
  for await (const entry of readJournal(Readable.from([lines.join('\n')]))) entries.push(entry);
  return entries;
}

test('reads one complete export or several concatenated ones', async () => {
  const kinds = async (...lines: string[]) => (await read(...lines)).map(({ kind }) => kind).join();
  assert.equal(await kinds(began, revoked, ended(1)), 'export,credential,exported');
  assert.equal(
    await kinds(began, ended(0), '', began, revoked, revoked, ended(2), ''),
    'export,exported,export,credential,credential,exported',
  );
});

test('an incomplete journal is rejected with the line and what to do', async () => {
  const whole = [began, revoked, ended(1)];
  for (const [lines, message] of [
    [[began, revoked], /line 1 has no last line before the journal ends at line 2\. Export it again/],
    [[...whole, began, revoked], /line 4 has no last line before the journal ends at line 5/],
    // An incomplete export before a complete one.
    [
      [began, revoked, ...whole],
      /since 2026-05-01\S+ that starts at line 1 has no last line before the next export starts at line 3\. Export it again/,
    ],
    [[...whole, revoked, ...whole], /line 4 is not the first line of an export/],
    [[revoked, ended(1)], /line 1 is not the first line of an export/],
    [[began, ended(1)], /line 1 has 0 entries, but its last line, 2, says 1/],
    [[began, ended(0, '2026-04-01T00:00:00.000Z')], /says 0 since 2026-04-01/],
    [[], /is empty/],
    [[began, '{"level":30,"msg":"ready"}', ended(0)], /Line 2 is not a complete journal entry: \{"level".*Export it again/],
    [[began, revoked.slice(0, 40) + began, ended(0)], /Line 2 is not a complete journal entry/],
  ] as const)
    await assert.rejects(read(...lines), message);
});

test('reads a stream from a given time in order, skips older messages, and returns at once when there are none', async (t) => {
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

test('a slow reader does not count as a silent stream', async (t) => {
  const { broker, mongo } = await testParts(t, 'kit');
  const name = mongo.db.databaseName;
  const stream = { name, subject: `${name}.>`, keepDays: 1 };
  broker.start();
  await broker.ensureStream(stream);
  // More than one fetch returns.
  const texts = Array.from({ length: 1_500 }, (_, n) => `${n}`);
  await Promise.all(texts.map((text) => broker.publish(`${name}.test`, text)));
  const found = new Set<string>();
  await broker.readSince(stream, new Date(0), async (payload) => {
    found.add(payload);
    // Longer than a stream may be silent.
    if (found.size === 1) await pause(6_000);
  });
  await (await broker.connected()).manager.streams.delete(broker.streamOf(name));
  assert.equal(found.size, texts.length);
});
