import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestFailed } from '../api/errors.ts';
import type { Rule } from '../segments/segments.ts';
import { draftOf, type GroupDraft, pathOfPart, ruleOf } from './rule-draft.ts';
import { errorAt, errorsBelow, noErrors, ruleErrors } from './rule-errors.ts';

const failed = (details: RequestFailed['details']) =>
  new RequestFailed(400, { code: 'VALIDATION_ERROR', message: 'The request is invalid.', details, request_id: 'req_1' });

test('an error of the API is found at the value that its path names', () => {
  const errors = ruleErrors(
    failed([
      { path: '/name', code: 'too_small', message: 'Too short.' },
      { path: '/definition/all/1/sequence/0/event', code: 'too_small', message: 'Name it.' },
      { path: '/definition/all/1/sequence/0/where/properties.total/gte', code: 'custom', message: 'Not a number.' },
      { path: '/definition/all/10/within', code: 'custom', message: 'Too long.' },
      { path: '/definition/all/10', code: 'custom', message: 'No condition.' },
    ]),
  );
  const step = errorsBelow(errorsBelow(errors, '/all/1'), '/sequence/0');
  assert.equal(errorAt(step, '/event'), 'Name it.');
  assert.equal(errorAt(errorsBelow(step, '/where'), '/properties.total'), 'Not a number.');
  assert.equal(errorAt(errorsBelow(errors, '/all/1'), '/within'), undefined);
  assert.equal(errorAt(errorsBelow(errors, '/all/10'), '/within'), 'Too long.');
  assert.equal(errorsBelow(errors, '/all/10').get(''), 'No condition.');
  assert.equal(errorsBelow(errors, '/all/1').get(''), undefined);
  assert.deepEqual([ruleErrors(null), ruleErrors(new Error('Not from the API'))], [noErrors, noErrors]);
});

test('the path of a part leads to that part in the rule', () => {
  const leaf: Rule = { field: 'phone', op: 'missing' };
  const rules: Rule[] = [{ all: [leaf, { any: [leaf, leaf] }] }, { not: leaf }, { not: { any: [leaf, { not: { all: [leaf] } }] } }];
  for (const rule of rules) check(draftOf(rule));
});

function check(group: GroupDraft) {
  for (const [index, part] of group.rules.entries()) {
    assert.deepEqual(valueAt(ruleOf(group), pathOfPart(group, index)), ruleOf(part));
    if (part.kind === 'group') check(part);
  }
}

const valueAt = (value: unknown, path: string): unknown =>
  path
    .split('/')
    .slice(1)
    .reduce((inner, key) => new Map(Object.entries(Object(inner))).get(key), value);
