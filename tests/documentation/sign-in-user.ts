import assert from 'node:assert/strict';
import type { Json } from '../contract.ts';

/** Signs in with an invitation. Returns the headers of a request by that user, as the dashboard sends them. */
export async function signInUser(invitationUrl: string): Promise<Record<string, string>> {
  const { origin, hash } = new URL(invitationUrl);
  const token = new URLSearchParams(hash.slice(1)).get('token');
  const response = await fetch(`${origin}/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  assert.equal(response.status, 200);
  const { data }: Json = await response.json();
  const cookie = response.headers.getSetCookie().map((one) => one.split(';', 1)[0]);
  return { cookie: cookie.join('; '), 'x-csrf-token': data.csrf_token };
}
