import { eventually } from '@mp/test-kit/eventually';
import type { RecordOperation } from './fixtures.ts';

/** Exercises the operations of sites and reports. */
export async function exerciseLeadpulse(record: RecordOperation) {
  const site = await record('createSite', { body: { name: 'Shop', origins: ['https://shop.example.com', 'https://*.example.org'] } });
  const params = { id: site.id };
  await record('listSites');
  await record('getSite', { params });
  await record('updateSite', { params, body: { name: 'Web shop', max_events_per_day: 500_000 } });
  await record('rotateSiteKey', { params, body: {} });
  await record('rotateSiteSecret', { params, body: {} });
  await record('deleteSite', { params });

  const steps = [{ page: '/pricing', name: 'Pricing' }, { event: 'order_placed' }];
  await record('runFunnel', { body: { steps, window: 'P7D', by: 'country' } });
  await record('runFunnel', { body: { steps, window: 'P7D', background: true } });
  await record('listFunnelPeople', { body: { steps, step: 1, outcome: 'dropped' } });
  const list = await record('createSegment', { body: { name: 'Read the prices, ordered nothing', kind: 'static' } });
  await record('addFunnelPeople', { body: { steps, step: 1, outcome: 'dropped', segment_id: list.id } });
  const retention = { first: { page: '/pricing' }, returning: { event: '$pageview' }, interval: 'week' };
  await record('runRetention', { body: retention });
  const report = await record('runRetention', { body: { ...retention, background: true } });
  await record('runPaths', { body: { from_event: { page: '/pricing' }, depth: 3 } });
  await record('runPaths', { body: { depth: 3, background: true } });
  const country = { dimension: 'country', op: 'in', value: ['DE', 'AT'] };
  const filter = { any: [country, { dimension: 'page', op: 'starts_with', value: '/pricing' }] };
  const query = { metrics: ['visitors', 'bounce_rate'], dimensions: ['page'], filter, compare: 'previous' };
  await record('runQuery', { body: query });
  await record('runQuery', { body: { ...query, background: true } });
  const goal = await record('createGoal', {
    body: { name: 'Orders', match: { event: 'order_placed' }, value: { amount: 49, currency: 'EUR' } },
  });
  const ofGoal = { params: { id: goal.id } };
  await record('listGoals');
  await record('getGoal', ofGoal);
  await record('updateGoal', { ...ofGoal, body: { name: 'Paid orders', value: null } });
  await record('reportGoal', { ...ofGoal, body: { by: 'channel', attribution: 'first' } });
  await record('reportGoal', { ...ofGoal, body: { background: true } });
  await record('deleteGoal', ofGoal);
  const saved = await record('createSavedReport', {
    body: { name: 'Orders from the price list', days: 28, report: { kind: 'funnel', request: { steps, window: 'P7D', order: 'strict' } } },
  });
  const ofSaved = { params: { id: saved.id } };
  await record('listSavedReports');
  await record('getSavedReport', ofSaved);
  await record('updateSavedReport', { ...ofSaved, body: { days: 90 } });
  await record('runSavedReport', { ...ofSaved, body: {} });
  await record('runSavedReport', { ...ofSaved, body: { background: true } });
  await record('deleteSavedReport', ofSaved);
  await record('listSegmentCalls');
  await record('listEvents', { query: { event: '$pageview', limit: '2' } });
  await record('getLive');
  await record('streamEvents', { query: { event: '$pageview' } });
  const visitors = await record('listVisitors');
  const ofVisitor = { params: { id: visitors.items[0].id } };
  await record('listSessions', ofVisitor);
  await record('exportVisitor', ofVisitor);
  await record('deleteVisitor', ofVisitor);
  await record('getLeadpulseSettings');
  await record('updateLeadpulseSettings', { body: { blocked_properties: ['card'], excluded_networks: ['203.0.113.0/24'] } });
  await eventually(async () => (await record('getReport', { params: { id: report.id } })).status === 'completed');
}
