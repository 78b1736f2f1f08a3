import assert from 'node:assert/strict';
import { test } from 'node:test';
import { demoPeople } from './people.ts';
import { demoRegulars } from './visits.ts';

test('even a small demo has contacts in Berlin who bought at least twice in the last 90 days', () => {
  const until = new Date('2026-03-02T08:00:00Z');
  const orders = demoRegulars(500, until);
  const since = until.getTime() - 90 * 24 * 60 * 60 * 1_000;
  assert.ok(orders.every(({ timestamp }) => Date.parse(timestamp) > since && Date.parse(timestamp) < until.getTime()));
  const berliners = [...demoPeople(500)].filter(({ address }) => address.city === 'Berlin');
  const regulars = berliners.filter((person) => orders.filter(({ external_id }) => external_id === person.external_id).length >= 2);
  assert.ok(regulars.length >= 5, `only ${regulars.length}`);
});
