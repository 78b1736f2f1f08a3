import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { loggedPath } from '@mp/service-kit/logged-path';
import { startFakeService } from '../../../test/fake-service.ts';
import { startTestGateway } from '../../../test/start-test-gateway.ts';

test('hosted forms need no credential: no cookie is forwarded, and what their pages need is', async (t) => {
  const service = await startFakeService(t);
  const gateway = await startTestGateway(t, { services: { contacts: service.url } });
  const secret = { authorization: 'Bearer mp_live_x', cookie: 'session=1', 'x-forwarded-for': '203.0.113.7' };
  const page = { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site', 'user-agent': 'Firefox' };
  for (const [method, path] of [
    ['GET', '/f/form_x?email=a@example.com'],
    ['POST', '/f/form_x'],
    ['POST', '/f/form_x/submissions'],
    ['OPTIONS', '/f/form_x/submissions'],
    ['GET', '/f/confirm/abc'],
    ['POST', '/f/confirm/abc'],
  ] as const) {
    const response = await fetch(gateway.url + path, { method, headers: { ...secret, ...page } });
    assert.equal(response.status, 200, `${method} ${path}`);
    const [seen] = service.seen.splice(0);
    assert.equal(seen?.target, path);
    assert.deepEqual([seen?.headers.authorization, seen?.headers.cookie, seen?.headers['x-mp-context']], [undefined, undefined, undefined]);
    assert.deepEqual([seen?.headers.origin, seen?.headers['user-agent']], [page.origin, page['user-agent']]);
    assert.equal(seen?.headers.host, new URL(gateway.url).host);
    assert.notEqual(seen?.headers['x-forwarded-for'], '203.0.113.7', 'only a trusted proxy names the client');
  }
  for (const method of ['PUT', 'DELETE']) assert.equal((await fetch(`${gateway.url}/f/form_x`, { method })).status, 404);
});

test('with a host of their own, forms are served there and nothing else is, and other hosts only redirect to them', async (t) => {
  const service = await startFakeService(t);
  const gateway = await startTestGateway(t, { services: { contacts: service.url }, formsUrl: 'https://forms.example' });
  const send = (method: string, path: string, host: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number | undefined; location: string | undefined }>((resolve, reject) => {
      const { hostname, port } = new URL(gateway.url);
      request({ hostname, port, method, path, headers: { host, ...headers } }, (response) => {
        response.resume();
        resolve({ status: response.statusCode, location: response.headers.location });
      })
        .on('error', reject)
        .end();
    });

  for (const [method, path] of [
    ['GET', '/f/form_x?email=a@example.com'],
    ['POST', '/f/form_x/submissions'],
    ['GET', '/f/embed.js'],
    ['POST', '/f/confirm/abc'],
  ] as const)
    assert.equal((await send(method, path, 'Forms.example')).status, 200, path);
  assert.equal(service.seen.splice(0).length, 4);
  const key = await gateway.makeKey();
  for (const path of ['/', '/sign-in', '/health/live', '/openapi.json', '/auth/session', '/t/x', '/ingest/v1/mp.js', '/docs', '/f'])
    assert.equal((await send('GET', path, 'forms.example', { cookie: 'session=1' })).status, 404, path);
  assert.equal((await send('GET', '/v2/me', 'forms.example')).status, 401);
  assert.equal((await send('GET', '/v2/contacts', 'forms.example', { authorization: key.authorization })).status, 404);

  const elsewhere = await send('GET', '/f/confirm/abc?x=1', 'marketing.example');
  assert.deepEqual([elsewhere.status, elsewhere.location], [307, 'https://forms.example/f/confirm/abc?x=1']);
  assert.equal((await send('POST', '/f/form_x', 'marketing.example')).status, 404);
  assert.equal((await send('GET', '/f//evil.example', 'marketing.example')).status, 404);
  assert.deepEqual(service.seen, [], 'no other host forwards anything to the service of forms');
  assert.equal((await send('GET', '/health/live', 'marketing.example')).status, 200);
});

test('the link of a confirmation email is in no log', () => {
  assert.equal(loggedPath('/f/confirm/abc.def?x=1'), '/f/confirm/*');
  assert.equal(loggedPath('/f/form_x?email=a@example.com'), '/f/form_x');
});
