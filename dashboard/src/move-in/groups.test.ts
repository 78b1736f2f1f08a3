import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planOf } from '@mp/move-in/plan';
import { groupsOf } from './groups.ts';

const step = (created: number, failed = 0, done = true) => ({ attempt: 0, done, counts: { created, updated: 0, unchanged: 0, failed } });

test('what is being written is active, what follows waits, and a row that came again with less counts once', async () => {
  const plan = await planOf({ title: 'Mailchimp', staysBehind: [] }, (async function* () {})());
  const steps = {
    suppressions: step(2),
    contacts: step(9, 1),
    'contacts reduced': step(1),
    'list "News"': step(1),
    'members of "News"': step(9),
  };
  const groups = groupsOf(plan, { steps, errors: [] }, false);
  assert.deepEqual(
    groups.map(({ label, state, counts }) => [label, state, counts.created, counts.failed]),
    [
      ['Suppressions', 'done', 2, 0],
      ['Lists', 'done', 1, 0],
      ['Contacts', 'active', 10, 0],
      ['Templates', 'waiting', 0, 0],
    ],
  );
  assert.ok(groupsOf(plan, { steps, errors: [] }, true).every(({ state }) => state === 'done'));
});
