import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { serviceNames } from '@mp/contracts/services';
import { startFakeService } from '../../../test/fake-service.ts';
import { startTestGateway } from '../../../test/start-test-gateway.ts';
import { generatedRoutes } from './generated-config.ts';

const text = `mp_pub_${'0123456789abcdef'.repeat(3).slice(0, 40)}`;
const publishable = text + crc32(text).toString(16).padStart(8, '0');
const services = serviceNames.filter((name) => name !== 'gateway');

test('a publishable key can send events from pages, and nothing else', async (t) => {
  const service = await startFakeService(t);
  const routes = generatedRoutes();
  const gateway = await startTestGateway(t, { routes, services: Object.fromEntries(services.map((name) => [name, service.url])) });

  await t.test('it is rejected with 401 by every route of the API, as a Bearer key and as a parameter', async () => {
    for (const { method, path } of routes) {
      const target = path.replaceAll(/\{[^}]+\}/g, 'no-such-id');
      for (const [url, headers] of [
        [target, { authorization: `Bearer ${publishable}` }],
        [`${target}?key=${publishable}`, {}],
      ] as const) {
        const response = await fetch(gateway.url + url, { method, headers });
        assert.equal(response.status, 401, `${method} ${url}`);
        await response.body?.cancel();
      }
    }
    assert.deepEqual(service.seen, []);
  });

  await t.test('its only route needs no other credential, forwards none, and does not count in the quota', async () => {
    const response = await fetch(`${gateway.url}/ingest/v1/events?key=${publishable}`, {
      method: 'POST',
      headers: { origin: 'https://shop.example.com', authorization: 'Bearer mp_live_x', cookie: 'a=b', 'content-type': 'text/plain' },
      body: '{"events":[]}',
    });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('x-ratelimit-limit'), null);
    const [seen] = service.seen.splice(0);
    assert.equal(seen?.headers.origin, 'https://shop.example.com');
    assert.deepEqual([seen?.headers.authorization, seen?.headers.cookie, seen?.headers['x-mp-context']], [undefined, undefined, undefined]);
    for (const [method, path] of [
      ['GET', '/ingest/v1/events'],
      ['DELETE', '/ingest/v1/events'],
      ['POST', '/ingest/v1/mp.js'],
    ] as const)
      assert.equal((await fetch(gateway.url + path, { method })).status, 405, `${method} ${path}`);
    assert.equal((await fetch(`${gateway.url}/ingest/v2/events`, { method: 'POST' })).status, 404);
  });

  await t.test(
    'the calls of Segment reach LeadPulse with their key and nothing else; every other path below /v1 says where the API is',
    async () => {
      const headers = { authorization: 'Basic a2V5Og==', cookie: 'a=b', origin: 'https://shop.example.com', 'x-mp-context': 'forged' };
      for (const path of ['/v1/batch', '/v1/t', '/v1/identify']) {
        assert.equal((await fetch(gateway.url + path, { method: 'POST', headers, body: '{}' })).status, 200);
        const [seen] = service.seen.splice(0);
        assert.deepEqual(
          [seen?.headers.authorization, seen?.headers.cookie, seen?.headers['x-mp-context']],
          ['Basic a2V5Og==', undefined, undefined],
        );
      }
      assert.equal((await fetch(`${gateway.url}/v1/projects/${publishable}/settings`)).status, 200);
      service.seen.splice(0);
      for (const path of ['/v1/contacts', '/v1/batch/x', '/v1/projects/x/y', '/v1/projects//settings', '/v1/T', '/v1/m', '/v1']) {
        const response = await fetch(gateway.url + path, { method: 'POST', body: '{}' });
        assert.equal(response.status, 404, path);
        assert.match(await response.text(), /\/v2/, path);
      }
      assert.equal((await fetch(`${gateway.url}/v1/batch`)).status, 405);
      assert.deepEqual(service.seen, []);
    },
  );

  await t.test('a preflight request is forwarded without a key', async () => {
    const headers = { origin: 'https://shop.example.com', 'access-control-request-method': 'POST' };
    assert.equal((await fetch(`${gateway.url}/ingest/v1/events`, { method: 'OPTIONS', headers })).status, 200);
    assert.equal(service.seen.splice(0).length, 1);
  });
});
