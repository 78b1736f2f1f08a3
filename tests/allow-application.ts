import assert from 'node:assert/strict';
import { createClient } from './client.ts';

/** Answers the consent page as a signed-in user who allows everything that it shows. Returns where the browser is sent next. */
export async function allowApplication(authorizationUrl: string, headers: Record<string, string>): Promise<string> {
  const page = await fetch(authorizationUrl, { redirect: 'manual' });
  const { origin, searchParams } = new URL(page.headers.get('location') ?? '', authorizationUrl);
  const user = createClient(origin, undefined);
  const request = searchParams.get('request') ?? '';
  const shown = await user.get(`/auth/authorization?request=${request}`, headers);
  assert.equal(shown.status, 200, shown.text);
  const decided = await user.post('/auth/authorization', { request, allow: true, scopes: shown.data.scopes }, headers);
  assert.equal(decided.status, 200, decided.text);
  return decided.data.redirect_to;
}
