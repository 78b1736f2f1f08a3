import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Address } from './contact.ts';
import { contactColumns, errorColumnsBeside, ownColumns, readOnlyColumns } from './import-columns.ts';

test('every part of the address of a contact has a column', () => {
  const expected = Object.keys(Address.shape).map((name) => `address.${name}`);
  assert.deepEqual(
    expected.filter((name) => !contactColumns.some((column) => column === name)),
    [],
  );
});

test('recognises the leading columns of exports, of failed rows, and of rows that failed again', () => {
  const exported = [...readOnlyColumns, ...contactColumns];
  const files = [exported, ['email', 'row', 'message'], ['email', 'id']];
  const failed = (header: readonly string[]) => [...errorColumnsBeside(header), ...header];
  assert.deepEqual(files.map(ownColumns), [6, 0, 0]);
  assert.deepEqual(files.map(failed).map(ownColumns), [10, 4, 4]);
  assert.deepEqual(files.map(failed).map(failed).map(failed).map(ownColumns), [18, 12, 12]);
  for (const header of files.map(failed).map(failed)) assert.equal(new Set(header).size, header.length);
  for (const foreign of [[], ['id'], ['id', 'status', 'email'], ['row', 'field', 'email']]) assert.equal(ownColumns(foreign), 0);
});
