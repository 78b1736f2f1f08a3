import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { createGuardedRequests } from '@mp/guarded-requests/guarded-request';
import { guaranteeRoute } from '@mp/test-kit/route-guarantees';
import { testParts, testService } from '@mp/test-kit/test-parts';
import { account, routesOnly } from '../../../test/setting.ts';
import { createLinkChecker } from './link-checker.ts';

test('POST /v2/campaigns/links/check', async (t) => {
  const requests: string[] = [];
  const site = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const respond = (status: number, headers = {}) => response.writeHead(status, headers).end();
    if (request.url === '/page') return respond(200);
    if (request.url === '/moved') return respond(301, { location: '/page' });
    if (request.url === '/moved-to-nothing') return respond(302, { location: '/gone' });
    if (request.url === '/moved-to-no-url') return respond(302, { location: 'https://shop.example:99999/' });
    if (request.url === '/loop') return respond(302, { location: '/loop' });
    if (request.url === '/get-only') return respond(request.method === 'GET' ? 200 : 405);
    if (request.url === '/inward') return respond(302, { location: 'http://169.254.169.254/latest/meta-data/' });
    if (request.url === '/silent') return response.destroy();
    respond(404);
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  t.after(() => site.close());
  const address = site.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;

  const open = createGuardedRequests({ allowPrivate: true });
  const guarded = createGuardedRequests({ allowPrivate: false });
  t.after(() => Promise.all([open.stop(), guarded.stop()]));
  /** The site of the test is allowed; everything else is guarded. */
  const requestLinks: typeof open.send = (outgoing, stopping) =>
    (outgoing.url.startsWith(origin) ? open : guarded).send(outgoing, stopping);
  const { app } = await testService(t, await testParts(t, 'campaigns'), routesOnly({ requestLinks }));
  const owner = account(app);
  const check = async (...paths: string[]) => {
    const urls = paths.map((path) => (path.startsWith('/') ? origin + path : path));
    const { status, data } = await owner.post('/v2/campaigns/links/check', { urls });
    assert.equal(status, 200);
    assert.deepEqual(
      data.links.map(({ url }: { url: string }) => url),
      urls,
    );
    return data.links.map(({ ok, status: said, problem }: { ok: boolean; status: number | null; problem: string | null }) => [
      ok,
      said,
      problem,
    ]);
  };

  await guaranteeRoute(t, app, {
    method: 'POST',
    scope: 'campaigns:read',
    url: () => '/v2/campaigns/links/check',
    body: { urls: [`${origin}/page`] },
  });

  await t.test('says which links are broken, after redirects, and in the order of the request', async () => {
    assert.deepEqual(await check('/page', '/nowhere', '/moved', '/moved-to-nothing', '/get-only', '/moved-to-no-url'), [
      [true, 200, null],
      [false, 404, 'The page does not exist (404).'],
      [true, 200, null],
      [false, 404, 'The page does not exist (404).'],
      [true, 200, null],
      [false, 302, 'It redirects to an invalid URL.'],
    ]);
  });

  await t.test('ends redirects that do not end, and reports a page that does not respond', async () => {
    assert.deepEqual(await check('/loop', '/silent'), [
      [false, null, 'It redirects more than 5 times.'],
      [false, null, 'The connection was closed.'],
    ]);
  });

  await t.test('requests no address of the internal network, not even by a redirect', async () => {
    const links = await check('http://127.0.0.1:8080/', 'http://169.254.169.254/', '/inward', 'mailto:ada@example.com');
    for (const [ok, status, problem] of links) {
      assert.deepEqual([ok, status], [false, null]);
      assert.match(problem, /is not a public address|expected an http:\/\/ or https:\/\/ URL/i);
    }
  });

  await t.test('does not request a page again that worked a moment ago, but one that was broken', async () => {
    await check('/page', '/nowhere');
    const before = requests.length;
    await check('/page', '/nowhere');
    assert.deepEqual(requests.slice(before), ['HEAD /nowhere', 'GET /nowhere']);
  });

  await t.test('an account checks one email at a time, and not longer than its caller waits', async () => {
    const leaving = new AbortController();
    const hanging = createLinkChecker({
      send: (_outgoing, stopping) =>
        new Promise((resolve) => stopping.addEventListener('abort', () => resolve({ type: 'silent', reason: 'the request was aborted' }))),
    });
    const first = hanging(owner.accountId, ['https://a.example/', 'https://b.example/'], leaving.signal);
    await assert.rejects(hanging(owner.accountId, ['https://c.example/'], leaving.signal), { code: 'RATE_LIMITED' });
    leaving.abort();
    assert.equal((await first).length, 2);
    const again = await hanging(owner.accountId, ['https://c.example/'], leaving.signal);
    assert.deepEqual([again[0]?.ok, again[0]?.status], [null, null]);
  });

  await t.test('requests nothing in MAINTENANCE mode', async (t) => {
    const parts = await testParts(t, 'campaigns');
    const { app } = await testService(t, { ...parts, maintenance: true }, routesOnly({ requestLinks }));
    const before = requests.length;
    const { status, error } = await account(app).post('/v2/campaigns/links/check', { urls: [`${origin}/page`] });
    assert.deepEqual([status, error.code, requests.length], [503, 'SERVICE_UNAVAILABLE', before]);
  });

  await t.test('rejects no URL, too many, and the same URL twice', async () => {
    for (const urls of [
      [],
      Array.from({ length: 51 }, (_, index) => `https://example.com/${index}`),
      ['https://a.example', 'https://a.example'],
    ]) {
      const { status, error } = await owner.post('/v2/campaigns/links/check', { urls });
      assert.deepEqual([status, error.code, error.details[0].path], [400, 'VALIDATION_ERROR', '/urls']);
    }
  });
});
