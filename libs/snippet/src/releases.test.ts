import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildScript } from '../build/release.ts';
import { latestOf, type ScriptName } from './releases.ts';

for (const name of ['mp', 'embed', 'frame', 'proof'] satisfies ScriptName[])
  test(`the released file of ${name} is the build of its source; a change needs npm run build -w @mp/snippet, and a new version once released`, async () => {
    assert.equal(latestOf(name).code.toString(), await buildScript(name));
  });
