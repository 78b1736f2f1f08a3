import { test } from 'node:test';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { buildSettingsApp } from './app.ts';

const id = '01h455vb4pex5vsknk084sn02q';

test('every settings route', async (t) => {
  const parts = await testParts(t, 'settings');
  const { app } = await testService(t, parts, buildSettingsApp);
  const read = { method: 'GET', scope: 'settings:read' } as const;
  const post = { method: 'POST', scope: 'settings:write' } as const;
  const keys = { method: 'POST', scope: 'settings:keys' } as const;
  const put = { method: 'PUT', scope: 'settings:write' } as const;
  const remove = { method: 'DELETE', scope: 'settings:write' } as const;

  for (const path of [
    'account',
    'plan',
    'usage',
    'usage/history',
    'api-keys',
    'oauth-clients',
    'users',
    'audit-log',
    'identity-providers',
    'domains',
    'roles',
  ]) {
    await guaranteeRoute(t, app, { ...read, url: () => `/v2/settings/${path}` });
  }
  await guaranteeRoute(t, app, { ...put, url: () => '/v2/settings/account', body: { name: 'Acme' } });
  for (const [kind, path] of [
    ['key', 'api-keys'],
    ['client', 'oauth-clients'],
  ] as const) {
    const one = () => `/v2/settings/${path}/${kind}_${id}`;
    await guaranteeRoute(t, app, { ...keys, url: () => `/v2/settings/${path}`, body: { name: 'x', permission: 'read_only' } });
    await guaranteeRoute(t, app, { ...read, url: one });
    await guaranteeRoute(t, app, { ...keys, method: 'PUT', url: one, body: { name: 'x' } });
    await guaranteeRoute(t, app, { ...keys, url: () => `${one()}/rotate`, body: { grace_seconds: 0 } });
    await guaranteeRoute(t, app, { ...keys, url: () => `${one()}/revoke`, body: {} });
  }
  const newProvider = { name: 'Login', issuer: 'https://login.example.com', client_id: 'x', client_secret: 'y', enabled: false };
  const provider = () => `/v2/settings/identity-providers/idp_${id}`;
  await guaranteeRoute(t, app, { ...post, url: () => '/v2/settings/identity-providers', body: newProvider });
  await guaranteeRoute(t, app, { ...read, url: provider });
  await guaranteeRoute(t, app, { ...put, url: provider, body: { name: 'Login' } });
  await guaranteeRoute(t, app, { ...remove, url: provider });
  const domain = () => `/v2/settings/domains/domain_${id}`;
  await guaranteeRoute(t, app, { ...post, url: () => '/v2/settings/domains', body: { domain: 'example.com' } });
  await guaranteeRoute(t, app, { ...read, url: domain });
  await guaranteeRoute(t, app, { ...remove, url: domain });
  await guaranteeRoute(t, app, { ...post, url: () => `${domain()}/verify`, body: {} });
  const role = () => `/v2/settings/roles/role_${id}`;
  await guaranteeRoute(t, app, { ...post, url: () => '/v2/settings/roles', body: { name: 'x', scopes: ['contacts:read'] } });
  await guaranteeRoute(t, app, { ...read, url: role });
  await guaranteeRoute(t, app, { ...put, url: role, body: { name: 'x' } });
  await guaranteeRoute(t, app, { ...remove, url: role });
  const user = () => `/v2/settings/users/user_${id}`;
  await guaranteeRoute(t, app, { ...post, url: () => '/v2/settings/users', body: { email: 'ada@example.com', role: 'viewer' } });
  await guaranteeRoute(t, app, { ...read, url: user });
  await guaranteeRoute(t, app, { ...put, url: user, body: { name: 'Ada' } });
  await guaranteeRoute(t, app, { ...remove, url: user });
  await guaranteeRoute(t, app, { ...post, url: () => `${user()}/invite`, body: {} });
  await guaranteeRoute(t, app, { ...post, url: () => `${user()}/unlink`, body: {} });

  const report = () => `/v2/report-emails/reportemail_${id}`;
  const weekly = { weekday: 'monday', time: '08:00' };
  const wanted = { campaign_id: `campaign_${id}`, user_ids: [`user_${id}`], weekly };
  await guaranteeRoute(t, app, { method: 'GET', scope: 'campaigns:read', url: () => '/v2/report-emails' });
  await guaranteeRoute(t, app, { method: 'POST', scope: 'campaigns:write', url: () => '/v2/report-emails', body: wanted });
  await guaranteeRoute(t, app, { method: 'GET', scope: 'campaigns:read', url: report });
  await guaranteeRoute(t, app, { method: 'PUT', scope: 'campaigns:write', url: report, body: { weekly } });
  await guaranteeRoute(t, app, { method: 'DELETE', scope: 'campaigns:write', url: report });
});
