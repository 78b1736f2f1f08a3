import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AccountId, newId } from '@mp/ids';
import { storedRun } from '../../test/stored-run.ts';
import { createAccountTurns, type Turn } from './account-turns.ts';

const turn = (account_id: AccountId, priority?: 'high'): Turn => ({
  run: { ...storedRun({}), id: newId('run'), account_id, ...(priority && { priority }) },
  status: 'active',
});

test('accounts take turns, and runs with a high priority come first', () => {
  const turns = createAccountTurns();
  const [a, b] = [newId('account'), newId('account')];
  const [first, second, urgent, other] = [turn(a), turn(a), turn(a, 'high'), turn(b)];
  for (const one of [first, second, urgent, other]) turns.add(one);
  assert.deepEqual(turns.next(3), [urgent, other, first]);
  assert.deepEqual(turns.next(3), [second]);
  assert.deepEqual(turns.next(3), []);
});

test('a turn that must be taken alone comes before the others of its account, and alone', () => {
  const turns = createAccountTurns();
  const [a, b] = [newId('account'), newId('account')];
  const [failed, later, other] = [turn(a), turn(a), turn(b)];
  turns.add(other);
  turns.add(later);
  turns.addFirst(failed);
  assert.deepEqual(turns.next(3), [other]);
  assert.deepEqual(turns.next(3), [{ ...failed, isAlone: true }]);
  assert.deepEqual(turns.clear(), [later]);
  assert.deepEqual(turns.next(3), []);
});
