import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestFailed } from '../api/errors.ts';
import { fieldErrors } from './field-errors.ts';

const values = { name: '', from: { email: '', name: '' }, audience: { include: ['all'] } };

const failed = (...paths: string[]) =>
  new RequestFailed(400, {
    code: 'VALIDATION_ERROR',
    message: 'Invalid.',
    request_id: 'req_1',
    details: paths.map((path) => ({ path, message: `About ${path}` })),
  });

test('an error is shown at the field with its path', () => {
  assert.deepEqual(fieldErrors(failed('/name', '/from/email'), values).byField, {
    name: 'About /name',
    'from.email': 'About /from/email',
  });
});

test('an error inside a list is shown at the field of the list', () => {
  assert.deepEqual(fieldErrors(failed('/audience/include/0'), values).byField, { 'audience.include': 'About /audience/include/0' });
});

test('an error about a group, the whole body or a field that the form lacks is not shown at a field', () => {
  assert.deepEqual(fieldErrors(failed('', '/from', '/steps/0'), values), { byField: {}, shown: [] });
});

test('a path can belong to a field with another name', () => {
  const { byField, shown } = fieldErrors(failed('/email/evidence/source'), { source: '' }, { '/email/evidence/source': 'source' });
  assert.deepEqual([byField, shown], [{ source: 'About /email/evidence/source' }, ['/email/evidence/source']]);
});

test('a field shows the first of its errors', () => {
  assert.deepEqual(fieldErrors(failed('/audience/include/1', '/audience/include/0'), values).byField, {
    'audience.include': 'About /audience/include/1',
  });
});

test('an error without details belongs to no field', () => {
  assert.deepEqual(fieldErrors(new Error('Offline'), values), { byField: {}, shown: [] });
  assert.deepEqual(fieldErrors(null, values), { byField: {}, shown: [] });
});
