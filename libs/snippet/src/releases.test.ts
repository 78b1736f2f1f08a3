import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSnippet } from '../build/release.ts';
import { latestRelease } from './releases.ts';

test('the released file is the build of the source; a change needs npm run build -w @mp/snippet, and a new version once released', async () => {
  assert.equal(latestRelease.code.toString(), await buildSnippet());
});
