import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { customResources } from './kubernetes-schemas.ts';

const run = promisify(execFile);

/** What `without` says about these programs, with this cache and nothing else installed. */
async function reasonWith(cache: string, ...programs: string[]): Promise<unknown> {
  const code = `const { without } = await import(${JSON.stringify(join(import.meta.dirname, 'chart.ts'))});
    console.log(JSON.stringify(without(...${JSON.stringify(programs)})));`;
  const env = { ...process.env, XDG_CACHE_HOME: cache, PATH: '' };
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', code], { env });
  return JSON.parse(stdout);
}

test('a half-installed cache of tools skips the tests that need what is missing, and names it', async (t) => {
  const cache = await mkdtemp(join(tmpdir(), 'cache-'));
  t.after(() => rm(cache, { recursive: true, force: true }));
  const tools = join(cache, 'marketing-platform/k8s-tools');
  await mkdir(tools, { recursive: true });
  const install = (...names: string[]) => Promise.all(names.map((name) => writeFile(join(tools, name), 'kind: x')));
  const [, , routes, ...others] = customResources;
  await install('helm', 'kubeconform', 'kubernetes.json', ...customResources.filter((name) => name !== routes));
  assert.equal(await reasonWith(cache, 'helm'), false);
  assert.equal(await reasonWith(cache, 'helm', 'kubeconform'), `${routes} not found; deploy/k8s/install-tools.sh installs what is missing`);
  await writeFile(join(tools, String(routes)), '');
  assert.match(String(await reasonWith(cache, 'helm', 'kubeconform')), /httproutes\.yaml not found/, 'an empty file');
  await install(String(routes));
  assert.equal(await reasonWith(cache, 'helm', 'kubeconform'), false);
  assert.equal(others.length, 1);
});
