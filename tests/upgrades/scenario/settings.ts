import { patient } from '../patient.ts';
import { ok, type World } from './world.ts';

/** Keys, OAuth clients, users with a password and a session, accounts in other states, and settings that are not the default. */
export async function prepareSettings({ platform, client, manifest }: World) {
  const key = (body: object) => ok(client.post('/v2/settings/api-keys', body));
  const readOnly = await key({ name: 'Reports', permission: 'read_only', scopes: ['contacts:read'] });
  const revoked = await key({ name: 'Revoked', permission: 'read_write' });
  await ok(client.post(`/v2/settings/api-keys/${revoked.id}/revoke`));
  const rotated = await key({ name: 'Rotated', permission: 'read_write' });
  const replacement = await ok(client.post(`/v2/settings/api-keys/${rotated.id}/rotate`, { grace_seconds: 86_400 }));
  const oauth = await ok(client.post('/v2/settings/oauth-clients', { name: 'Shop', permission: 'read_write' }));
  const user = await ok(client.post('/v2/settings/users', { email: 'mary@team.example', name: 'Mary', role: 'editor' }));
  const link = await platform.command('sign-in-link.ts', '--account', 'upgrades');
  const signIn = await fetch(`${platform.url}/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: link.split('#token=')[1] }),
  });
  if (!signIn.ok) throw new Error(`sign-in with ${link}: ${await signIn.text()}`);
  const { data: session } = JSON.parse(await signIn.text());
  const cookie = signIn.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  const owner = { email: 'owner@team.example', password: 'a password of the upgrade fixtures' };
  const set = await fetch(`${platform.url}/auth/password`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie, 'x-csrf-token': session.csrf_token },
    body: JSON.stringify({ email: owner.email, new_password: owner.password }),
  });
  if (!set.ok) throw new Error(`password: ${await set.text()}`);

  await ok(client.put('/v2/settings/account', { name: 'Upgrades' }));
  await ok(client.put('/v2/contacts/settings', { default_consent: 'subscribed' }));
  await ok(client.put('/v2/campaigns/settings', { delivered_after_hours: 48, topics: [{ id: 'newsletter', name: 'Newsletter' }] }));
  await ok(client.put('/v2/campaigns/brand', { company_name: 'Example Ltd', postal_address: '1 Example Street\nLondon' }));
  await ok(client.put('/v2/leadpulse/settings', { blocked_properties: ['card'], excluded_networks: ['203.0.113.0/24'] }));

  const suspended = patient(await platform.client('--permission', 'admin', '--account', 'late-payer'));
  await ok(suspended.post('/v2/contacts', { email: 'kept@late.example' }));
  await platform.command('account.ts', 'set', '--account', 'late-payer', '--status', 'suspended');
  const leaving = patient(await platform.client('--permission', 'admin', '--account', 'leaving'));
  await ok(leaving.post('/v2/contacts', { email: 'kept@leaving.example' }));
  await platform.command('account.ts', 'delete', '--account', 'leaving', '--grace', 'P30D');

  manifest.settings = {
    keys: { admin: client.key, read_only: readOnly.key, revoked: revoked.key, rotated: [rotated.key, replacement.key] },
    oauth: { id: oauth.id, secret: oauth.client_secret },
    ...{ owner, cookie, user_id: user.id, suspended: suspended.key, leaving: leaving.key },
  };
}
