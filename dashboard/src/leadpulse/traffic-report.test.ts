import assert from 'node:assert/strict';
import { test } from 'node:test';
import { viewOf } from './traffic-report.ts';
import type { SavedReport } from './use-saved-reports.ts';

const query = {
  metrics: ['visitors' as const],
  timezone: 'UTC',
  include_bots: false,
  background: false,
  dimensions: [],
  order: '-events' as const,
  limit: 100,
};
const shown = (request: object, days: number | null = 7) => viewOf({ days, report: { kind: 'query', request: { ...query, ...request } } });

test('a saved query is a view of the page, if the page can show its filter', () => {
  const country = { dimension: 'country', op: 'eq', value: 'DE' };
  assert.deepEqual(shown({ compare: 'year', filter: { all: [country] } }), { days: 7, compare: 'year', country: 'DE' });
  assert.deepEqual(shown({ from: '2026-01-01', to: '2026-01-31' }, null), { from: '2026-01-01', to: '2026-01-31', compare: 'none' });
  for (const filter of [
    { any: [country] },
    country,
    { all: [{ ...country, op: 'neq' }] },
    { all: [{ ...country, dimension: 'properties.x' }] },
  ])
    assert.equal(shown({ filter }), undefined);
  const funnel: SavedReport['report'] = {
    kind: 'funnel',
    request: {
      steps: [{ page: '/' }, { page: '/b' }],
      window: 'P1D',
      order: 'ordered',
      timezone: 'UTC',
      include_bots: false,
      background: false,
    },
  };
  assert.equal(viewOf({ days: 7, report: funnel }), undefined);
});
