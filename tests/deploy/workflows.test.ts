import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { call, root, without } from './chart.ts';

test('actionlint accepts the workflows of the forge', { skip: without('actionlint') }, async () => {
  await call('actionlint', ['-no-color', ...globSync('.github/workflows/*.yml', { cwd: root }).map((file) => join(root, file))]);
});
