import { test } from 'node:test';
import { newId } from '@mp/ids';
import type { testClient } from '@mp/test-kit/client';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { routesOnly, smallest } from './setting.ts';

test('guarantees of every campaigns route', async (t) => {
  const { app } = await testService(t, await testParts(t, 'campaigns'), routesOnly());
  const campaign = async (client: ReturnType<typeof testClient>) =>
    `/v2/campaigns/${(await client.post('/v2/campaigns', smallest)).data.id}`;
  const under = (path: string) => async (client: ReturnType<typeof testClient>) => `${await campaign(client)}${path}`;

  await guaranteeRoute(t, app, { method: 'GET', scope: 'campaigns:read', url: () => '/v2/campaigns' });
  await guaranteeRoute(t, app, { method: 'POST', scope: 'campaigns:write', url: () => '/v2/campaigns', body: smallest });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'campaigns:read', url: campaign });
  await guaranteeRoute(t, app, { method: 'PUT', scope: 'campaigns:write', url: campaign, body: { name: 'Other' } });
  await guaranteeRoute(t, app, { method: 'DELETE', scope: 'campaigns:write', url: campaign });
  await guaranteeRoute(t, app, {
    method: 'POST',
    scope: 'campaigns:read',
    url: under('/preview'),
    body: { sample: { first_name: 'Ada' } },
  });
  await guaranteeRoute(t, app, { method: 'POST', scope: 'campaigns:read', url: under('/dry-run'), body: {} });
  await guaranteeRoute(t, app, {
    method: 'POST',
    scope: 'campaigns:send',
    url: under('/send'),
    body: { schedule_at: new Date(Date.now() + 3_600_000).toISOString() },
  });
  for (const step of ['pause', 'resume', 'cancel']) {
    await guaranteeRoute(t, app, { method: 'POST', scope: 'campaigns:send', url: under(`/${step}`), body: {} });
  }
  await guaranteeRoute(t, app, { method: 'GET', scope: 'campaigns:read', url: under('/approval') });
  for (const step of ['approve', 'reject']) {
    const body = { revision: 1, comment: 'I have read it.' };
    await guaranteeRoute(t, app, { method: 'POST', scope: 'campaigns:send', url: under(`/${step}`), body, principal_id: newId('user') });
  }
  await guaranteeRoute(t, app, { method: 'GET', scope: 'campaigns:read', url: under('/ledger') });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'campaigns:read', url: under('/messages/contact_01h455vb4pex5vsknk084sn02q') });
  await guaranteeRoute(t, app, {
    method: 'POST',
    scope: 'campaigns:send',
    url: under('/resolve-unknown'),
    body: { action: 'leave' },
  });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'campaigns:read', url: under('/analytics') });
});
