import type { RecordOperation } from './fixtures.ts';

/** Exercises the operations of sites and reports. */
export async function exerciseLeadpulse(record: RecordOperation) {
  const site = await record('createSite', { body: { name: 'Shop', origins: ['https://shop.example.com', 'https://*.example.org'] } });
  const params = { id: site.id };
  await record('listSites');
  await record('getSite', { params });
  await record('updateSite', { params, body: { name: 'Web shop', max_events_per_day: 500_000 } });
  await record('rotateSiteSecret', { params, body: {} });
  await record('deleteSite', { params });
}
