import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storedRun } from '../../test/stored-run.ts';
import { BodyTooLarge, fillBody } from './fill-body.ts';

test('a body that would exhaust the memory is not built', () => {
  const run = storedRun({ a: 'x'.repeat(16_000) });
  const maxBytes = 256 * 1_024;
  // As many placeholders as fit into the largest request: filled, they are more than 1 GiB.
  for (const body of ['{{data.a}} '.repeat(95_000), Array.from({ length: 80_000 }, () => '{{data.a}}')]) {
    assert.throws(() => fillBody(body, run, 'key', maxBytes), BodyTooLarge);
  }
  const sixteen = Array.from({ length: 16 }, () => '{{ data.a }}');
  assert.deepEqual(fillBody(sixteen, run, 'key', maxBytes), Array(16).fill('x'.repeat(16_000)));
});

test('placeholders can read the data of the run, including fields with dots in their names', () => {
  const run = storedRun({
    name: 'order',
    properties: { total: 12, 'page.url': 'https://example.com/' },
    value: { amount: 9.5 },
    list: [{ sku: 'a' }],
  });
  const body = {
    total: '{{ data.properties.total }}',
    page: '{{data.properties.page.url}}',
    value: '{{ data.value }}',
    text: '{{ data.value.amount }} {{ data.list.0.sku }} {{ data.none.at.all }}',
  };
  assert.deepEqual(fillBody(body, run, 'key', 1_000), {
    total: 12,
    page: 'https://example.com/',
    value: { amount: 9.5 },
    text: '9.5 a ',
  });
});
