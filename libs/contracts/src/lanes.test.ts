import assert from 'node:assert/strict';
import { test } from 'node:test';
import { laneFilters, subjectIn } from './lanes.ts';

test('the filters of a consumer read each event once, in its lane', () => {
  for (const [filter, live, bulk] of [
    ['contacts.contact.>', 'contacts.contact.*.*', 'contacts.contact.*.*.bulk'],
    ['contacts.contact.*.v1', 'contacts.contact.*.v1', 'contacts.contact.*.v1.bulk'],
    ['leadpulse.event.tracked.v1', 'leadpulse.event.tracked.v1', 'leadpulse.event.tracked.v1.bulk'],
    ['contacts.>', 'contacts.*.*.*', 'contacts.*.*.*.bulk'],
    ['platform.api_key.>', 'platform.api_key.>', undefined],
    ['contacts.suppression.removed.v1', 'contacts.suppression.removed.v1', undefined],
    ['contacts.form.>', 'contacts.form.*.*', 'contacts.form.*.*.bulk'],
    ['contacts.form.submitted.v1', 'contacts.form.submitted.v1', undefined],
  ] as const)
    assert.deepEqual(laneFilters(filter), { live, ...(bulk !== undefined && { bulk }) });
});

test('an event without a bulk lane is always live', () => {
  assert.equal(subjectIn('bulk', 'contacts.contact.created.v1'), 'contacts.contact.created.v1.bulk');
  assert.equal(subjectIn('bulk', 'contacts.form.confirmation_requested.v1'), 'contacts.form.confirmation_requested.v1.bulk');
  assert.equal(subjectIn('bulk', 'contacts.form.confirmed.v1'), 'contacts.form.confirmed.v1');
  assert.equal(subjectIn('live', 'contacts.contact.created.v1'), 'contacts.contact.created.v1');
  assert.equal(subjectIn('bulk', 'contacts.suppression.removed.v1'), 'contacts.suppression.removed.v1');
  assert.equal(subjectIn('bulk', 'contacts.contact_field.changed.v1'), 'contacts.contact_field.changed.v1');
});
