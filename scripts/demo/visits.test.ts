import assert from 'node:assert/strict';
import { test } from 'node:test';
import { demoPeople } from './people.ts';
import { demoLiveVisits, demoRegulars } from './visits.ts';

test('even a small demo has contacts in Berlin who bought at least twice in the last 90 days', () => {
  const until = new Date('2026-03-02T08:00:00Z');
  const orders = demoRegulars(500, until);
  const since = until.getTime() - 90 * 24 * 60 * 60 * 1_000;
  assert.ok(orders.every(({ timestamp }) => Date.parse(timestamp) > since && Date.parse(timestamp) < until.getTime()));
  const berliners = [...demoPeople(500)].filter(({ address }) => address.city === 'Berlin');
  const regulars = berliners.filter((person) => orders.filter(({ external_id }) => external_id === person.external_id).length >= 2);
  assert.ok(regulars.length >= 5, `only ${regulars.length}`);
});

test('the live page of a small demo has people, countries and pages with titles', () => {
  const until = new Date('2026-03-02T08:00:00Z');
  const visits = demoLiveVisits(500, until);
  const people = new Set([...demoPeople(500)].map(({ external_id }) => external_id));
  const known = new Set(visits.flatMap(({ external_id }) => (external_id !== undefined && people.has(external_id) ? [external_id] : [])));
  assert.ok(known.size >= 10, `only ${known.size} people`);
  assert.ok(new Set(visits.map(({ context }) => context.country)).size > 1);
  assert.ok(visits.every(({ context: { country, page } }) => country !== undefined && page.title !== undefined));
  // The page shows the last five minutes.
  assert.ok(visits.every(({ timestamp }) => Date.parse(timestamp) > until.getTime() - 5 * 60_000));
});
