import { emailOf } from './contacts.ts';
import { eventually, ok, type World } from './world.ts';

export const visits = 60;

/** A website with its keys, visits, a goal, a saved report, and webhooks of which one receiver fails. */
export async function prepareVisits({ client, hooks, manifest }: World) {
  const site = await ok(client.post('/v2/leadpulse/sites', { name: 'Shop', origins: ['https://shop.example'] }));
  const context = { page: { url: 'https://shop.example/pricing', title: 'Pricing' }, country: 'DE' };
  const events = Array.from({ length: visits }, (_, index) => ({
    ...{ event: '$pageview', visitor_id: `visitor-${index}`, message_id: `view-${index}`, context },
    ...(index % 2 === 0 && { email: emailOf(index) }),
  }));
  await ok(client.post('/v2/leadpulse/track', { events }));
  await eventually(async () => (await ok(client.get('/v2/leadpulse/analytics'))).totals.events >= visits);
  const goal = await ok(client.post('/v2/leadpulse/goals', { name: 'Orders', match: { event: 'ordered' } }));
  const steps = [{ page: '/pricing', name: 'Pricing' }, { event: 'ordered' }];
  const saved = await ok(
    client.post('/v2/leadpulse/saved-reports', {
      name: 'Orders from the price list',
      days: 28,
      report: { kind: 'funnel', request: { steps, window: 'P7D' } },
    }),
  );

  hooks.mood('/broken', 500);
  const webhook = (path: string) =>
    ok(client.post('/v2/webhooks', { url: `http://${hooks.host}${path}`, events: ['contact.created'], description: path }));
  const [healthy, broken] = [await webhook('/healthy'), await webhook('/broken')];
  const made: string[] = [];
  for (let index = 0; index < 5; index += 1)
    made.push((await ok(client.post('/v2/contacts', { email: `hooked${index}@people.example` }))).id);
  const tried = async (id: string) =>
    (await ok(client.get(`/v2/webhooks/${id}/deliveries`))).items.filter((one: { attempt_count: number }) => one.attempt_count > 0).length;
  await eventually(async () => (await tried(healthy.id)) >= 5 && (await tried(broken.id)) >= 5);
  manifest.leadpulse = { site: site.id, goal: goal.id, saved: saved.id, views: visits };
  manifest.webhooks = { healthy: healthy.id, broken: broken.id, secret: broken.secret, contacts: made };
}
