import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchText, reportSearch, requestOf, searchOf } from './report-search.ts';

test('a report page keeps what it knows, and drops everything else', () => {
  const view = {
    kind: 'paths',
    days: 7,
    steps: ['/pricing', 'signup'],
    window: 'P7D',
    strict: true,
    interval: 'day',
    direction: 'to',
    anchor: '/thanks',
    nodes: 'both',
  };
  assert.deepEqual(reportSearch(view), view);
  assert.deepEqual(reportSearch(reportSearch(view)), view);
  assert.deepEqual(
    reportSearch({ days: 3, steps: 'x', window: 'P2D', strict: 'yes', interval: 'hour', from: '2026-01-01', unknown: 1 }),
    {},
  );
  assert.equal(reportSearch({ steps: Array(20).fill('a') }).steps?.length, 10);
});

test('a text that begins with a slash is a page, and any other an event', () => {
  const { request } = requestOf({ kind: 'retention', first: '/pricing', returning: 'order' }) ?? {};
  assert.deepEqual(request && 'first' in request && [request.first, request.returning], [{ page: '/pricing' }, { event: 'order' }]);
  assert.equal(matchText({ event: 'order', where: { 'properties.plan': 'pro' } }), undefined);
  assert.equal(matchText({ event: 'order', page: '/' }), undefined);
});

test('a funnel needs two steps', () => {
  assert.equal(requestOf({ steps: ['$pageview', ''] }), undefined);
  assert.equal(requestOf({}), undefined);
  const { request } = requestOf({ steps: ['/', '', 'signup'], strict: true }) ?? {};
  assert.deepEqual(request && 'steps' in request && [request.steps, request.order], [[{ page: '/' }, { event: 'signup' }], 'strict']);
});

test('a saved report opens as the page that it was saved from', () => {
  for (const search of [
    { days: 28, steps: ['/pricing', 'signup'], window: 'P7D', strict: true },
    { kind: 'retention', days: 90, first: '/pricing', returning: 'order', interval: 'week' },
    { kind: 'paths', days: 7, direction: 'to', anchor: '/thanks', nodes: 'pages' },
  ]) {
    const wanted = requestOf(reportSearch(search));
    assert.ok(wanted);
    const { timezone, ...request } = wanted.request;
    const report = { ...wanted, request: { ...request, timezone: timezone ?? 'UTC', include_bots: false, background: false } };
    const opened = searchOf(JSON.parse(JSON.stringify({ days: search.days, report })));
    assert.deepEqual(opened, search);
  }
});

test('a saved report that the page cannot show is not offered', () => {
  const steps = [{ page: '/' }, { event: 'order', where: { 'properties.plan': 'pro' } }];
  assert.equal(searchOf(JSON.parse(JSON.stringify({ days: 28, report: { kind: 'funnel', request: { steps } } }))), undefined);
  assert.equal(searchOf(JSON.parse(JSON.stringify({ days: 28, report: { kind: 'query', request: {} } }))), undefined);
  assert.equal(
    searchOf(JSON.parse(JSON.stringify({ days: 45, report: { kind: 'funnel', request: { steps: steps.slice(0, 1) } } }))),
    undefined,
  );
});
