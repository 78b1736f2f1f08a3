import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');

test('a dry run prepares everything that a release publishes, changes nothing and publishes nothing', async (t) => {
  const to = mkdtempSync(join(tmpdir(), 'release-test-'));
  t.after(() => rmSync(to, { recursive: true }));
  const before = ['CHANGELOG.md', 'package.json'].map((file) => readFileSync(join(root, file), 'utf8'));
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
  const { stdout } = await run(process.execPath, [join(root, 'scripts/release.ts'), ...args], { cwd: root });
  assert.deepEqual(
    ['CHANGELOG.md', 'package.json'].map((file) => readFileSync(join(root, file), 'utf8')),
    before,
  );

  const files = readdirSync(to);
  const packages = files.filter((name) => /^marketing-platform-(?:sdk|cli|snippet)-.*\.tgz$/.test(name));
  assert.equal(packages.length, 3);
  for (const name of packages) {
    const packed = await run('tar', ['-xzOf', join(to, name), 'package/package.json']);
    const manifest = JSON.parse(packed.stdout);
    if (!name.includes('snippet')) assert.equal(manifest.version, '9.8.7');
    assert.match(manifest.repository.url, /^git\+https:\/\/git\.example\.com\/acme\/marketing\.git$/);
    assert.equal(manifest.bugs.url, 'https://git.example.com/acme/marketing/issues');
    assert.ok(manifest.homepage && manifest.license && !manifest.private);
  }
  const sbom = JSON.parse(readFileSync(join(to, 'sbom.cdx.json'), 'utf8'));
  assert.equal(sbom.bomFormat, 'CycloneDX');
  assert.ok(sbom.components.some(({ name }: { name: string }) => name === 'fastify'));
  assert.match(readFileSync(join(to, 'release-notes.md'), 'utf8'), /^### /);
  const sums = readFileSync(join(to, 'SHA256SUMS'), 'utf8');
  for (const name of packages) assert.ok(sums.includes(name));

  assert.match(stdout, /would set {2}9\.8\.7 in deploy\/k8s\/marketing-platform\/Chart\.yaml/);
  assert.match(stdout, /Nothing was published[\s\S]*npm publish [\s\S]*docker push registry\.example\.com\/acme\/gateway:9\.8\.7/);
});
