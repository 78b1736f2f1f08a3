import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTo } from './connect.ts';

/** A platform on which only the newest token is valid. */
function platform() {
  const state = { tokens: 0, valid: true, isRevoked: false, requests: [] as string[] };
  const send: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const path = new URL(request.url).pathname;
    if (path.endsWith('/token')) {
      if (state.isRevoked) return Response.json({ error: 'invalid_client' }, { status: 401 });
      state.tokens += 1;
      state.valid = true;
      return Response.json({ access_token: `token-${state.tokens}`, token_type: 'Bearer', expires_in: 3_600, scope: '' });
    }
    state.requests.push(`${request.headers.get('authorization')} ${await request.text()}`.trim());
    if (state.valid && request.headers.get('authorization') === `Bearer token-${state.tokens}`)
      return Response.json({ success: true, data: { id: 'contact_1' } });
    const error = { code: 'UNAUTHORIZED', message: 'The token has expired.', request_id: 'req_1' };
    return Response.json({ success: false, error }, { status: 401 });
  };
  return { state, send };
}

const profile = { url: 'https://mp.example.com', client_id: 'client_1', client_secret: 'secret' };

test('a command that runs for longer than its token is valid gets another one, and repeats the request with it', async () => {
  const { state, send } = platform();
  const mp = await connectTo(profile, send);
  await mp.contacts.get('contact_1');
  state.valid = false;
  assert.equal((await mp.contacts.create({ email: 'ada@example.com' })).id, 'contact_1');
  await mp.contacts.get('contact_1');
  const body = '{"email":"ada@example.com"}';
  assert.deepEqual(state.requests, ['Bearer token-1', `Bearer token-1 ${body}`, `Bearer token-2 ${body}`, 'Bearer token-2']);
  assert.equal(state.tokens, 2);
});

test('requests whose token expires at the same time share the next one', async () => {
  const { state, send } = platform();
  const mp = await connectTo(profile, send);
  state.valid = false;
  await Promise.all(Array.from({ length: 5 }, () => mp.contacts.get('contact_1')));
  assert.equal(state.tokens, 2);
});

test('without another token, the caller gets the error of the request, and the next request tries again', async () => {
  const { state, send } = platform();
  const mp = await connectTo(profile, send);
  Object.assign(state, { valid: false, isRevoked: true });
  await assert.rejects(mp.contacts.get('contact_1'), /The token has expired\./);
  state.isRevoked = false;
  assert.equal((await mp.contacts.get('contact_1')).id, 'contact_1');
});

test('a rejected key fails at once', async () => {
  const { state, send } = platform();
  const mp = await connectTo({ url: profile.url, key: 'mp_live_wrong' }, send);
  await assert.rejects(mp.contacts.get('contact_1'), /expired/);
  assert.deepEqual(state.requests, ['Bearer mp_live_wrong']);
});
