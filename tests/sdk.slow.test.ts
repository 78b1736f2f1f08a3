import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { buildSdk } from '../libs/sdk/build/build.ts';
import { installNode } from './install-node.ts';
import { examplesOf, installPackage } from './packages.ts';
import { startPlatform } from './platform.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const maxGzipBytes = 30_000;
/** The oldest that the package promises to run on, and one of each later line. */
const nodeVersions = ['20.3.0', '22.23.3', '24.21.0'];
const bin = (name: string) => join(root, 'node_modules/.bin', name);

test('the packed SDK is small, has no dependencies, and its types and exports are correct', async (t) => {
  const { dist, tarball, project } = await installPackage(t, buildSdk);
  assert.deepEqual(await readdir(join(project, 'node_modules')).then((names) => names.filter((name) => !name.startsWith('.'))), [
    '@marketing-platform',
  ]);
  const size = gzipSync(await readFile(join(dist, 'sdk.js'))).length;
  t.diagnostic(`${size} bytes with gzip`);
  assert.ok(size <= maxGzipBytes, `${size} bytes`);
  const code = await readFile(join(dist, 'sdk.js'), 'utf8');
  assert.doesNotMatch(
    code,
    /^import |\bimport\(|\brequire\(|\bprocess\.|\bBuffer\b/m,
    'it uses nothing of Node, so that it runs on Bun, Deno and at the edge',
  );
  await run(bin('publint'), ['--strict', dist]);
  await run(bin('attw'), ['--profile', 'esm-only', tarball]);
});

test("the README's examples work with the packed SDK on a platform, on Node 20, 22 and 24", async (t) => {
  const { folder, project } = await installPackage(t, buildSdk);
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const body = JSON.stringify({
    id: 'event_1',
    type: 'contact.created',
    timestamp: '2026-01-01T00:00:00Z',
    account_id: 'account_1',
    data: {},
  });
  const at = new Date();
  const headers = {
    'webhook-id': 'm',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('m', at, body),
  };
  const delivery = `await receive(new Request('https://example.com', { method: 'POST', body: ${JSON.stringify(body)}, headers: ${JSON.stringify(headers)} }))`;
  await writeFile(
    join(project, 'examples.ts'),
    `${await examplesOf('libs/sdk/README.md')}\nconsole.log('received', (${delivery}).status);\n`,
  );
  const first = (await examplesOf('README.md')).replace("'http://localhost:8080'", "process.env.MP_BASE_URL ?? ''");
  await writeFile(join(project, 'first.ts'), first);
  const compilerOptions = {
    target: 'es2023',
    module: 'nodenext',
    lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    strict: true,
    skipLibCheck: false,
  };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['examples.ts', 'first.ts'] }));
  await run(bin('tsc'), ['-p', project]).catch((error: { stdout: string }) => assert.fail(error.stdout));

  const platform = await startPlatform(t);
  for (const version of nodeVersions)
    await t.test(`on Node ${version}`, async (t) => {
      const node = process.versions.node === version ? process.execPath : await installNode(folder, version);
      if (node === undefined) return t.skip(`Node ${version} cannot be downloaded`);
      const { key = '' } = await platform.client('--permission', 'read_write', '--account', `node-${version}`);
      const { key: readmeKey = '' } = await platform.client('--permission', 'read_write', '--account', `readme-${version}`);
      const env = { ...process.env, MP_API_KEY: key, MP_BASE_URL: platform.url, WEBHOOK_SECRET: secret };
      const { stdout, stderr } = await run(node, ['examples.js'], { cwd: project, env }).catch(
        (error: { stdout: string; stderr: string }) => assert.fail(`${error.stdout}${error.stderr}`),
      );
      const readme = await run(node, ['first.js'], { cwd: project, env: { ...env, MP_API_KEY: readmeKey } });
      assert.equal(stderr, '');
      assert.match(stdout, /contacts would get it[\s\S]*CONFLICT[\s\S]*contact\.created\nreceived 204/);
      assert.equal(readme.stdout, 'ada@example.com\n');
    });
});
