import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contactSearch, queryOf } from './contact-search.ts';

test('turns the URL parameters into API parameters', () => {
  assert.deepEqual(queryOf({ field: 'tag', value: 'vip', sort: 'created_at' }), { tag: 'vip', sort: 'created_at' });
  assert.deepEqual(queryOf({ field: 'attribute', key: 'plan', value: 'pro' }), { 'attributes.plan': 'pro' });
  assert.deepEqual(queryOf({ field: 'status', value: 'bounced' }), { status: 'bounced' });
  assert.deepEqual(queryOf({ from: '2026-02-01', to: '2026-02-28' }), {
    'created_at[gte]': '2026-02-01T00:00:00.000Z',
    'created_at[lt]': '2026-03-01T00:00:00.000Z',
  });
});

test('a search is combined with any filter, and has its own order', () => {
  assert.deepEqual(queryOf({ q: 'ada', field: 'tag', value: 'vip', from: '2026-02-01', sort: 'created_at' }), {
    q: 'ada',
    tag: 'vip',
    'created_at[gte]': '2026-02-01T00:00:00.000Z',
  });
});

test('ignores invalid URL parameters', () => {
  assert.deepEqual(contactSearch({ q: 1, field: 'owner', value: 'x', from: 'yesterday', sort: 'name', other: true }), {});
  assert.deepEqual(contactSearch({ field: 'tag' }), {}, 'a filter needs its value');
});
