import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { notesOf, released } from './release/changelog.ts';
import { nextMinor, withVersion } from './release/versions.ts';

const changelog = '# Changelog\n\n## Unreleased\n\n### Added\n\n- **A thing.**\n\n## 0.1.0 - 2026-11-26\n\n- First.\n';

test('a release moves what is unreleased under its version, and leaves room for the next', () => {
  assert.equal(notesOf(changelog, '0.2.0'), '### Added\n\n- **A thing.**');
  const after = released(changelog, '0.2.0', '2026-12-01');
  assert.equal(after, changelog.replace('## Unreleased\n\n', '## Unreleased\n\n## 0.2.0 - 2026-12-01\n\n'));
  assert.equal(notesOf(after, '0.2.0'), '### Added\n\n- **A thing.**');
  assert.throws(() => notesOf(after, '0.3.0'), /nothing to release/);
});

test('every file that names the version of the platform gets the new one', () => {
  assert.equal(nextMinor('0.1.4'), '0.2.0');
  const files = withVersion(join(import.meta.dirname, '..'), '9.8.7');
  assert.equal(files.length, 6);
  for (const { file, text } of files) assert.equal(text.match(/9\.8\.7/g)?.length, file.endsWith('.yaml') ? 2 : 1, file);
});
