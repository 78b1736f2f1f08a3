import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { notesOf, released } from './release/changelog.ts';
import { currentVersion, nextMinor, withVersion } from './release/versions.ts';

const changelog = '# Changelog\n\n## Unreleased\n\n### Added\n\n- **A thing.**\n\n## 0.1.0 - 2026-11-26\n\n- First.\n';

test('a release moves what is unreleased under its version, and leaves room for the next', () => {
  assert.equal(notesOf(changelog, '0.2.0'), '### Added\n\n- **A thing.**');
  const after = released(changelog, '0.2.0', '2026-12-01');
  assert.equal(after, changelog.replace('## Unreleased\n\n', '## Unreleased\n\n## 0.2.0 - 2026-12-01\n\n'));
  assert.equal(notesOf(after, '0.2.0'), '### Added\n\n- **A thing.**');
  assert.throws(() => notesOf(after, '0.3.0'), /nothing to release/);
});

test('every file that names the version of the platform gets the new one', async () => {
  assert.equal(nextMinor('0.1.4'), '0.2.0');
  const root = join(import.meta.dirname, '..');
  const version = currentVersion(root).replaceAll('.', '\\.');
  // Not those that have releases of their own, or tell of an old one.
  const others = [':!docs/decisions', ':!libs/snippet', ':!tests/upgrades', ':!scripts/release.test.ts'];
  const pattern = `version['"]? *[:=] *['"]?${version}|^${version}$`;
  const { stdout } = await promisify(execFile)('git', ['grep', '-liE', pattern, '--', '.', ...others], { cwd: root });
  const files = withVersion(root, '9.8.7');
  assert.deepEqual(files.map(({ file }) => file).sort(), stdout.trim().split('\n').sort());
  // The lockfile names the version of each manifest, and that of the first one twice.
  const locked = files.filter(({ file }) => file.endsWith('package.json')).length + 1;
  for (const { file, text } of files) {
    const places = { 'deploy/k8s/marketing-platform/Chart.yaml': 2, 'package-lock.json': locked }[file] ?? 1;
    assert.equal(text.match(/9\.8\.7/g)?.length, places, file);
  }
});
