import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { EventEnvelope } from '../event.ts';
import { eventTypes } from './all.ts';

const folder = new URL('./examples/', import.meta.url);

test('every event has an example that matches its schema', async () => {
  const files = (await readdir(folder)).sort();
  assert.deepEqual(files, eventTypes.map(({ subject }) => `${subject}.json`).sort());
  for (const event of eventTypes) {
    const envelope = EventEnvelope.parse(JSON.parse(await readFile(new URL(`${event.subject}.json`, folder), 'utf8')));
    assert.equal(`${envelope.type}.v${envelope.version}`, event.subject);
    assert.deepEqual(event.data.parse(envelope.data), envelope.data, `${event.subject}.json has fields that the event lacks`);
  }
});
