import assert from 'node:assert/strict';
import type { Json } from '../contract.ts';
import type { Platform } from '../platform.ts';

/** The paths of settings that a PUT changes and that have a revision, from the document. */
async function settingsPaths({ url }: Platform): Promise<string[]> {
  const document: Json = await (await fetch(`${url}/openapi.json`)).json();
  const resolved = (schema: Json): Json =>
    typeof schema?.$ref === 'string' ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema;
  return Object.entries<Json>(document.paths).flatMap(([path, { get, put }]) => {
    if (!get || !put || path.includes('{')) return [];
    const { data } = resolved(get.responses['200']?.content['application/json'].schema).properties;
    return 'revision' in (resolved(data).properties ?? {}) ? [path] : [];
  });
}

export async function settingsRevisions(platform: Platform) {
  const client = await platform.client('--permission', 'admin', '--account', 'settings');
  const paths = await settingsPaths(platform);
  assert.ok(paths.length >= 6, paths.join(', '));
  for (const path of paths) {
    const read = await client.get(path);
    const etag = `"${read.data.revision}"`;
    assert.equal(read.headers.get('etag'), etag, path);
    const saved = await client.put(path, read.data, { 'if-match': etag });
    const current = `"${saved.data.revision}"`;
    assert.deepEqual([saved.status, saved.headers.get('etag')], [200, current], `${path}: ${saved.text}`);
    const stale = await client.put(path, read.data, { 'if-match': `"${saved.data.revision + 1}"` });
    assert.deepEqual([stale.status, stale.error.code], [412, 'PRECONDITION_FAILED'], `${path}: ${stale.text}`);
    assert.equal((await client.get(path)).headers.get('etag'), current, `${path} is unchanged`);
  }
}
