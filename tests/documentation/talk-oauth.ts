import assert from 'node:assert/strict';
import { type Client, createClient } from '../client.ts';
import type { Platform } from '../platform.ts';

const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** Valid and invalid requests to the OAuth endpoints; the client checks each response against the document. */
export async function exerciseOauth(platform: Platform, admin: Client) {
  const { data: made } = await admin.post('/v2/settings/oauth-clients', { name: 'RecordedOperation', permission: 'read_only' });
  const outsider = createClient(platform.url, undefined, await platform.contract());
  const basic = { authorization: `Basic ${btoa(`${made.id}:${made.client_secret}`)}` };
  const send = (path: string, parameters: Record<string, string>, headers: Record<string, string> = basic) =>
    outsider.call('POST', path, new URLSearchParams(parameters).toString(), { ...form, ...headers });
  const grant = { grant_type: 'client_credentials', scope: 'contacts:read' };

  const metadata = await outsider.get('/.well-known/oauth-authorization-server');
  assert.equal(metadata.status, 200);
  const held = await send('/oauth/token', grant);
  assert.equal(held.status, 200);
  const inForm = await send('/oauth/token', { ...grant, client_id: made.id, client_secret: made.client_secret }, {});
  assert.equal(inForm.status, 200);
  const revoked = await send('/oauth/revoke', { token: held.body.access_token });
  assert.deepEqual([revoked.status, revoked.body], [200, undefined]);

  for (const [status, path, parameters, headers] of [
    [400, '/oauth/token', { ...grant, grant_type: 'password' }, basic],
    [400, '/oauth/token', { ...grant, scope: 'contacts:write' }, basic],
    [400, '/oauth/revoke', {}, basic],
    [401, '/oauth/token', grant, { authorization: `Basic ${btoa(`${made.id}:wrong`)}` }],
    [401, '/oauth/revoke', { token: 'x' }, {}],
    [413, '/oauth/token', { ...grant, long: 'x'.repeat(70_000) }, basic],
    [414, `/oauth/token?long=${'x'.repeat(9_000)}`, grant, basic],
    [400, '/oauth/token?%zz', grant, basic],
  ] as const) {
    const { status: recorded } = await send(path, parameters, headers);
    assert.equal(recorded, status, path.slice(0, 40));
  }
  const wrongMethod = await outsider.get('/oauth/token');
  assert.deepEqual([wrongMethod.status, wrongMethod.headers.get('allow')], [405, 'POST']);
}
