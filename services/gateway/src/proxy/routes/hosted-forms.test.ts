import assert from 'node:assert/strict';
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

test('the link of a confirmation email is in no log', () => {
  assert.equal(loggedPath('/f/confirm/abc.def?x=1'), '/f/confirm/*');
  assert.equal(loggedPath('/f/form_x?email=a@example.com'), '/f/form_x');
});
