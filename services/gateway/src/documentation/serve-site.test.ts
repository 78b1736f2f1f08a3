import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startTestGateway } from '../../test/start-test-gateway.ts';

const browser = { headers: { accept: 'text/html,application/xhtml+xml' } };

test('the documentation site', async (t) => {
  const siteFolder = await mkdtemp(join(tmpdir(), 'site-'));
  t.after(() => rm(siteFolder, { recursive: true }));
  const { call, url } = await startTestGateway(t, { siteFolder });

  await t.test('says how to build it while it is not built, and links to what works', async () => {
    const page = await call('/docs/', browser);
    assert.equal(page.status, 404);
    assert.match(page.text, /npm run docs[\s\S]*href="\/reference"/);
    assert.match((await call('/openapi.yaml')).error.message, /npm run docs/);
  });

  await mkdir(join(siteFolder, 'assets'));
  await mkdir(join(siteFolder, 'guides'));
  const script = 'document.documentElement.classList.add("dark")';
  for (const [file, title] of Object.entries({
    index: 'start',
    404: 'nothing here',
    'guides/index': 'guides',
    'guides/quickstart': 'quick',
  }))
    await writeFile(join(siteFolder, `${file}.html`), `<!doctype html><title>${title}</title><script>${script}</script>`);
  await writeFile(join(siteFolder, 'assets', 'app.C8Ao40vN.js'), 'export {}');
  await writeFile(join(siteFolder, 'assets', 'app.C8Ao40vN.js.gz'), gzipSync('export {} // compressed'));

  await t.test('has its pages at addresses without an ending', async () => {
    for (const [path, title] of Object.entries({ '/docs/': 'start', '/docs/guides/': 'guides', '/docs/guides/quickstart': 'quick' })) {
      const page = await call(path, browser);
      assert.equal(page.status, 200, path);
      assert.match(page.text, new RegExp(`<title>${title}</title>`));
      assert.equal(page.headers.get('cache-control'), 'no-cache');
    }
    for (const [path, to] of Object.entries({ '/docs': '/docs/', '/docs/guides': '/docs/guides/' })) {
      const redirect = await fetch(url + path, { redirect: 'manual' });
      assert.deepEqual([redirect.status, redirect.headers.get('location')], [308, to]);
    }
  });

  await t.test('allows only the scripts of the build', async () => {
    const { headers } = await call('/docs/', browser);
    const policy = headers.get('content-security-policy') ?? '';
    const hash = createHash('sha256').update(script).digest('base64');
    assert.ok(policy.includes(`default-src 'none'; script-src 'self' 'sha256-${hash}';`), policy);
    assert.match(policy, /connect-src 'self'.*frame-ancestors 'none'/);
  });

  await t.test('sends compressed files, and caches those with a hash in their name forever', async () => {
    const packed = await call('/docs/assets/app.C8Ao40vN.js', { headers: { 'accept-encoding': 'gzip' } });
    assert.deepEqual(
      [packed.headers.get('content-encoding'), packed.headers.get('cache-control')],
      ['gzip', 'public, max-age=31536000, immutable'],
    );
    assert.match(packed.text, /compressed/);
  });

  await t.test('returns its own page for a wrong address, an error to programs, and nothing outside its folder', async () => {
    const page = await call('/docs/guides/nothing', browser);
    assert.equal(page.status, 404);
    assert.match(page.text, /nothing here/);
    assert.equal((await call('/docs/nothing', { headers: { accept: 'application/json' } })).error.code, 'NOT_FOUND');
    for (const path of ['/docs/../package.json', '/docs/%2e%2e/app.ts', '/docs/..%5capp.ts', '/docs/%00', '/docs/.git/config'])
      assert.ok([400, 404].includes((await call(path, browser)).status), path);
    assert.equal((await call('/docs/', { method: 'POST' })).status, 404);
  });

  await t.test('responds to a long path that is not a page', async () => {
    // A pattern that tries every split of the letters would not end.
    assert.equal((await call(`/docs/${'a'.repeat(2_000)}!`, browser)).status, 404);
  });

  await t.test('comes with the documents for programs', async () => {
    await writeFile(join(siteFolder, 'llms-full.txt'), '# Quickstart');
    await writeFile(join(siteFolder, 'openapi.yaml'), 'openapi: 3.1.0');
    await writeFile(join(siteFolder, 'postman-collection.json'), '{"info": {}}');
    for (const [path, type, text] of [
      ['/llms-full.txt', 'text/plain; charset=utf-8', '# Quickstart'],
      ['/openapi.yaml', 'application/yaml; charset=utf-8', 'openapi: 3.1.0'],
      ['/postman-collection.json', 'application/json; charset=utf-8', '{"info": {}}'],
    ] as const) {
      const document = await call(path);
      assert.deepEqual([document.status, document.headers.get('content-type'), document.text], [200, type, text]);
      assert.ok((await call('/llms.txt')).text.includes(`(${path})`));
    }
  });
});
