import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { onPath } from '@mp/local-infra/binary';
import { fromCache } from '@mp/local-infra/cache';
import { pythonEnvironment } from '../tests/python-environment.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');

test('a dry run prepares everything that a release publishes, changes nothing and publishes nothing', async (t) => {
  const to = mkdtempSync(join(tmpdir(), 'release-test-'));
  t.after(() => rmSync(to, { recursive: true }));
  const changes = async () => (await run('git', ['diff', 'HEAD'], { cwd: root, maxBuffer: 1e9 })).stdout;
  const before = await changes();
  const { python, missing } = await pythonEnvironment(t, ['hatchling']);
  const args = [
    '--dry-run',
    '--next',
    '9.8.7',
    '--to',
    to,
    '--repository',
    'https://git.example.com/acme/marketing',
    '--images',
    'registry.example.com/acme',
  ];
  const { stdout } = await run(process.execPath, [join(root, 'scripts/release.ts'), ...args], {
    cwd: root,
    env: { ...process.env, PATH: `${dirname(python)}${delimiter}${process.env.PATH}` },
  });
  assert.equal(await changes(), before);

  const files = readdirSync(to);
  const packages = files.filter((name) => /^marketing-platform-(?:sdk|cli|snippet)-.*\.tgz$/.test(name));
  assert.equal(packages.length, 3);
  for (const name of packages) {
    const packed = await run('tar', ['-xzOf', join(to, name), 'package/package.json']);
    const manifest = JSON.parse(packed.stdout);
    if (!name.includes('snippet')) assert.equal(manifest.version, '9.8.7');
    assert.match(manifest.repository.url, /^git\+https:\/\/git\.example\.com\/acme\/marketing\.git$/);
    assert.equal(manifest.bugs.url, 'https://git.example.com/acme/marketing/issues');
    assert.match(manifest.homepage, /^https:\/\/git\.example\.com\/acme\/marketing\/tree\/main\/libs\//);
    assert.ok(manifest.license && !manifest.private);
  }
  const wheel = files.find((name) => name.endsWith('.whl'));
  assert.equal(wheel, missing ? undefined : 'marketing_platform-9.8.7-py3-none-any.whl');
  if (wheel !== undefined) {
    const client = await run(python, [
      '-c',
      "import zipfile, sys; print(zipfile.ZipFile(sys.argv[1]).read('marketing_platform/request.py').decode())",
      join(to, wheel),
    ]);
    assert.match(client.stdout, /^VERSION = "9\.8\.7"$/m);
  }
  if (onPath('helm') ?? fromCache('k8s-tools/helm')) {
    const values = await run('tar', ['-xzOf', join(to, 'marketing-platform-9.8.7.tgz'), 'marketing-platform/values.yaml']);
    assert.match(values.stdout, /^ {2}prefix: registry\.example\.com\/acme$/m);
    assert.match(stdout, /helm push .*oci:\/\/registry\.example\.com\/acme\/charts/);
  } else assert.match(stdout, /chart +skipped: helm is not installed/);
  const sbom = JSON.parse(readFileSync(join(to, 'sbom.cdx.json'), 'utf8'));
  assert.equal(sbom.bomFormat, 'CycloneDX');
  assert.ok(sbom.components.some(({ name }: { name: string }) => name === 'fastify'));
  assert.match(readFileSync(join(to, 'release-notes.md'), 'utf8'), /^### /);
  const sums = readFileSync(join(to, 'SHA256SUMS'), 'utf8');
  for (const name of packages) assert.ok(sums.includes(name));

  assert.match(stdout, /would set {2}9\.8\.7 in deploy\/k8s\/marketing-platform\/Chart\.yaml/);
  assert.match(stdout, /Nothing was published[\s\S]*publish @marketing-platform\/cli@9\.8\.7 [\s\S]*push gateway/);
});
