import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openState } from './state-file.ts';

test('an interrupted import can resume for as long as what it has read counts, and then begins anew', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'state-'));
  t.after(() => rm(folder, { recursive: true }));
  const start = Date.parse('2026-03-01T10:00:00Z');
  const openAt = (hours: number) =>
    openState(join(folder, 'state.json'), ['mailchimp'], { maxPauseMs: 12 * 3_600_000, now: () => start + hours * 3_600_000 });
  const recordsOf = async ({ records }: Awaited<ReturnType<typeof openAt>>) => {
    let count = 0;
    for await (const _ of records()) count += 1;
    return count;
  };

  const first = await openAt(0);
  await first.append({ records: [{ kind: 'list', id: 'a', name: 'News' }], next: 'page 2' });
  Object.assign(first.state, { confirmed: true, steps: { suppressions: { attempt: 0, done: true } } });
  await first.save();

  const soon = await openAt(11);
  assert.deepEqual(
    [soon.isResumed, soon.state.read.next, Object.keys(soon.state.steps), await recordsOf(soon)],
    [true, 'page 2', ['suppressions'], 1],
  );
  const late = await openAt(13);
  const { read, confirmed, steps, run } = late.state;
  assert.deepEqual([late.isResumed, read.next, confirmed, steps, await recordsOf(late)], [false, null, false, {}, 0]);
  assert.deepEqual([late.expired, run === first.state.run], ['2026-03-01T10:00:00.000Z', false]);
});
