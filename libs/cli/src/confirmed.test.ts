import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { confirmed } from './confirmed.ts';
import { commands } from './generated/commands.gen.ts';
import { irreversibleAction, isIrreversible } from './irreversible.ts';

/** A terminal on which this is typed, and what it shows. */
function terminal(typed: string, isTTY = true) {
  const output = new PassThrough();
  const input = Object.assign(new PassThrough(), { isTTY });
  input.end(`${typed}\n`);
  return { streams: { input, output }, shown: () => String(output.read() ?? '') };
}

test('a confirmation on a terminal is given by y or yes, and by nothing else', async () => {
  for (const [typed, expected] of [
    ['y', true],
    ['Yes', true],
    ['', false],
    ['n', false],
    ['yep', false],
  ] as const) {
    const { streams, shown } = terminal(typed);
    assert.equal(await confirmed('Delete a contact: contact_1?', {}, streams), expected, typed);
    assert.match(shown(), /Delete a contact: contact_1\? \[y\/N\]/);
  }
});

test('nobody is asked with --yes, or without a terminal', async () => {
  const { streams, shown } = terminal('n');
  assert.equal(await confirmed('Delete?', { yes: true }, streams), true);
  assert.equal(shown(), '');
  assert.equal(await confirmed('Delete?', {}, terminal('n', false).streams), true);
});

test('every operation that deletes, erases, revokes, cancels or removes asks first', () => {
  const asking = commands.filter(isIrreversible).map(({ words }) => words.join(' '));
  for (const one of ['contacts erase', 'contacts delete', 'settings api-keys revoke', 'campaigns cancel', 'contacts bulk cancel-job'])
    assert.ok(asking.includes(one), one);
  const deletes = commands.filter(({ method }) => method === 'DELETE').map(({ words }) => words.join(' '));
  assert.deepEqual(
    deletes.filter((one) => !asking.includes(one)),
    [],
  );
});

test('an operation with several actions asks before those that delete or cancel, by flag or in --body, and never before a dry run', async () => {
  const commandOf = (operationId: string) => {
    const found = commands.find((one) => one.operationId === operationId);
    assert.ok(found);
    return found;
  };
  const [act, bulk] = [commandOf('actOnWorkflowRuns'), commandOf('createBulkJob')];
  assert.equal(await irreversibleAction(act, { action: 'cancel' }), 'cancel');
  assert.equal(await irreversibleAction(act, { action: 'retry' }), undefined);
  assert.equal(await irreversibleAction(act, { body: '{"action":"cancel"}' }), 'cancel');
  assert.equal(await irreversibleAction(act, { body: '{"action":"cancel"}', action: 'retry' }), undefined);
  assert.equal(await irreversibleAction(act, { body: '-' }), undefined);
  assert.equal(await irreversibleAction(bulk, { action: 'delete' }), 'delete');
  assert.equal(await irreversibleAction(bulk, { action: 'delete', 'dry-run': true }), undefined);
  assert.equal(await irreversibleAction(bulk, { body: '{"action":"delete","dry_run":true}' }), undefined);
  assert.equal(await irreversibleAction(commandOf('createContact'), { body: '{"action":"delete"}' }), undefined);
});
