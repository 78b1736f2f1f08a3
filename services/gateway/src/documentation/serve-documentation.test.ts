import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestGateway } from '../../test/start-test-gateway.ts';
import type { Schema } from './openapi-types.ts';
import { rewrite } from './rewrite.ts';

test('the documentation', async (t) => {
  const { call, url } = await startTestGateway(t);
  const document = (await call('/openapi.json')).body;

  await t.test('is a public OpenAPI 3.1 document', () => {
    assert.equal(document.openapi, '3.1.0');
    assert.ok(document.paths['/v2/contacts'].post);
  });

  await t.test('has titles of types only in the reference, because client generators would give two types one name', async () => {
    const titled: unknown[] = [];
    rewrite(document.paths, (object) => {
      for (const option of [object.anyOf, object.oneOf].flat() as (Schema | undefined)[])
        if (option?.properties !== undefined && option.title !== undefined) titled.push(option.title);
      return object;
    });
    assert.deepEqual(titled, []);
    assert.match((await call('/reference/openapi.json')).text, /"title": "Redirect"/);
  });

  await t.test('has a page with all operations for each resource, linked from llms.txt', async () => {
    const llms = await call('/llms.txt');
    assert.equal(llms.status, 200);
    assert.match(llms.text, /^# Marketing platform\n\n> /);
    for (const { name } of document.tags) {
      assert.ok(llms.text.includes(`(/reference/${name.toLowerCase()}.md)`), name);
      const page = await call(`/reference/${name.toLowerCase()}.md`);
      assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/markdown; charset=utf-8']);
      for (const [path, operations] of Object.entries<Record<string, { tags: string[] }>>(document.paths))
        for (const [method, { tags }] of Object.entries(operations))
          if (tags.includes(name)) assert.ok(page.text.includes(`\`${method.toUpperCase()} ${path}\``), `${method} ${path}`);
      assert.doesNotMatch(page.text, /undefined|\[object Object\]|\bobject or (?!null)|\bor object\b/);
    }
  });

  await t.test('has a page about the rule language, for browsers and as Markdown', async () => {
    assert.ok((await call('/llms.txt')).text.includes('(/reference/rules.md)'));
    const markdown = await call('/reference/rules.md');
    assert.equal(markdown.headers.get('content-type'), 'text/markdown; charset=utf-8');
    assert.match(markdown.text, /## Events[\s\S]*"sum": \{/);
    const page = await call('/reference/rules');
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(page.text, /<h2>Campaign activity<\/h2>/);
    assert.match(page.text, /<pre tabindex="0" role="region" aria-label="Example"><code/);
    assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'self';/);
  });

  await t.test('is rendered under a content security policy that allows only its own scripts', async () => {
    const page = await call('/reference');
    assert.equal(page.status, 200);
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'; script-src 'self' 'sha256-[^']+';/);
    assert.match(policy, /connect-src 'self'/);
    assert.match(page.text, /src="js\/scalar.js"/);
    assert.match(page.text, /<html lang="en">/);
    const script = await fetch(`${url}/reference/js/scalar.js`, { headers: { 'accept-encoding': 'br' } });
    assert.equal(script.headers.get('content-encoding'), 'br');
    assert.match(await script.text(), /createApiReference/);
  });

  await t.test('returns 404 for unknown pages and 405 for writes', async () => {
    assert.equal((await call('/reference/nothing.md')).status, 404);
    assert.equal((await call('/reference/contacts.md', { method: 'POST' })).status, 405);
  });
});
