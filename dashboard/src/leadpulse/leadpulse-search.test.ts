import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparisonOf, filtersIn, rangeOf, trafficSearch, valueText, withoutFilters } from './leadpulse-search.ts';

test('a view keeps what the page knows, and drops everything else', () => {
  const view = { days: 7, compare: 'year', metric: 'sessions', sources: 'referrer', country: 'DE', utm_campaign: 2026, event: '' };
  const expected = { days: 7, compare: 'year', metric: 'sessions', sources: 'referrer', country: 'DE', utm_campaign: '2026' };
  assert.deepEqual(trafficSearch({ ...view, unknown: 'x', pages: 'country' }), expected);
  assert.deepEqual(trafficSearch(trafficSearch(view)), expected);
  assert.deepEqual(trafficSearch({ days: 3, compare: 'toString', metric: 1 }), {});
});

test('a custom range needs both days, and replaces the preset', () => {
  assert.deepEqual(trafficSearch({ days: 7, from: '2026-01-01' }), { days: 7 });
  assert.deepEqual(trafficSearch({ days: 7, from: '2026-01-01', to: '2026-01-31' }), { from: '2026-01-01', to: '2026-01-31' });
});

test('filters are listed and removed, one or all', () => {
  const view = trafficSearch({ days: 7, country: 'DE', page: '/' });
  assert.deepEqual(filtersIn(view), [
    { dimension: 'page', value: '/' },
    { dimension: 'country', value: 'DE' },
  ]);
  assert.deepEqual(withoutFilters(view, 'page'), { days: 7, country: 'DE' });
  assert.deepEqual(withoutFilters(view), { days: 7 });
});

test('a range ends today, and its length determines the interval', () => {
  const now = new Date(2026, 2, 1, 0, 30);
  assert.deepEqual(rangeOf({}, now), { from: '2026-02-02', to: '2026-03-01', interval: 'day' });
  assert.deepEqual(rangeOf({ days: 1 }, now), { from: '2026-03-01', to: '2026-03-01', interval: 'hour' });
  assert.equal(rangeOf({ days: 365 }, now).interval, 'week');
  assert.equal(rangeOf({ from: '2026-01-01', to: '2026-01-02' }, now).interval, 'day');
});

test('countries, channels, devices and events of LeadPulse have names', () => {
  assert.equal(valueText('event', '$pageview'), 'Page view');
  assert.deepEqual(
    [valueText('country', 'DE'), valueText('channel', 'organic_search'), valueText('page', '/a_b'), valueText('country', 'x')],
    ['Germany', 'Organic search', '/a_b', 'x'],
  );
});

test('a view is compared with the previous period unless its URL says otherwise', () => {
  assert.deepEqual(
    [undefined, 'previous', 'year', 'none', 'toString'].map((compare) => comparisonOf(trafficSearch({ compare }))),
    ['previous', 'previous', 'year', undefined, 'previous'],
  );
  assert.deepEqual(trafficSearch({ compare: 'previous' }), {}, 'what is usual is not in the URL');
});
