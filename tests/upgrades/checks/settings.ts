import assert from 'node:assert/strict';
import { createClient } from '../../client.ts';
import { ok } from '../scenario/world.ts';
import type { Upgraded } from './upgraded.ts';

/** Keys, users and accounts are what they were, and the settings are kept. */
export async function checkSettings({ platform, client, manifest }: Upgraded) {
  const { keys, oauth, owner, cookie, suspended, leaving } = manifest.settings;
  const statusWith = async (key: string) => (await createClient(platform.url, key).get('/v2/contacts?limit=1')).status;
  assert.equal(await statusWith(keys.read_only), 200);
  assert.equal((await createClient(platform.url, keys.read_only).post('/v2/contacts', { email: 'x@people.example' })).status, 403);
  assert.equal(await statusWith(keys.revoked), 401);
  assert.deepEqual(await Promise.all(keys.rotated.map(statusWith)), [200, 200]);
  assert.equal(await statusWith(suspended), 403);
  assert.equal(await statusWith(leaving), 403);
  await platform.command('account.ts', 'cancel-deletion', '--account', 'leaving');
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: oauth.id, client_secret: oauth.secret });
  const token = await fetch(`${platform.url}/oauth/token`, { method: 'POST', body: form });
  assert.equal(token.status, 200, await token.text());
  assert.equal((await fetch(`${platform.url}/auth/session`, { headers: { cookie } })).status, 200);
  const signIn = await fetch(`${platform.url}/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(owner),
  });
  assert.equal(signIn.status, 200, await signIn.text());

  assert.equal((await ok(client.get('/v2/settings/account'))).name, 'Upgrades');
  assert.equal((await ok(client.get('/v2/contacts/settings'))).default_consent, 'subscribed');
  const { delivered_after_hours, topics } = await ok(client.get('/v2/campaigns/settings'));
  assert.deepEqual([delivered_after_hours, topics], [48, [{ id: 'newsletter', name: 'Newsletter' }]]);
  assert.equal((await ok(client.get('/v2/campaigns/brand'))).company_name, 'Example Ltd');
  assert.deepEqual((await ok(client.get('/v2/leadpulse/settings'))).blocked_properties, ['card']);
  const { campaigns, leadpulse, workflows } = manifest;
  for (const path of [
    ...[`/v2/campaigns/templates/${campaigns.template}`, `/v2/campaigns/images/${campaigns.image}`],
    ...[`/v2/campaigns/providers/${campaigns.provider}`, `/v2/campaigns/senders/${campaigns.sender}`],
    ...[`/v2/leadpulse/sites/${leadpulse.site}`, `/v2/leadpulse/goals/${leadpulse.goal}`],
    ...[`/v2/leadpulse/saved-reports/${leadpulse.saved}`, `/v2/workflows/${workflows.child}`],
  ])
    await ok(client.get(path));
}
