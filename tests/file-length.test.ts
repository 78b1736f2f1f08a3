import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const maxLines = 300;

const isGenerated = (file: string) => file.endsWith('.gen.ts');

test(`no file written by hand has more than ${maxLines} lines`, () => {
  const written = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    // A deleted file is listed until its deletion is staged.
    .filter((file) => /\.(tsx?|mjs|css|sh)$/.test(file) && !isGenerated(file) && existsSync(join(root, file)));
  assert.ok(written.length > 1_000);
  const lines = (file: string) => readFileSync(join(root, file), 'utf8').split('\n').length - 1;
  assert.deepEqual(
    written.filter((file) => lines(file) > maxLines).map((file) => `${file}: ${lines(file)}`),
    [],
  );
});
