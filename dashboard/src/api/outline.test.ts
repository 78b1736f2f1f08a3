import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const source = new URL('../', import.meta.url).pathname;

/** About one line of text. */
const maxHeight = 24;

test('what is loaded is drawn as its outline, never as one block: no skeleton elsewhere is higher than a line', () => {
  const blocks = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.tsx') && path !== 'api/outline.tsx')
    .flatMap((path) => {
      const text = readFileSync(source + path, 'utf8');
      return [...text.matchAll(/<Skeleton\b[^>]*?height=\{([^}]+)\}/g)].map(([, height = '']) => ({ path, height }));
    })
    .filter(({ height }) => !(Number(height) <= maxHeight));
  assert.deepEqual(blocks, []);
});
