import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { serviceNames } from '@mp/contracts/services';
import { importGraph, workspaces } from '../import-graph.ts';
import { readArchive } from './archive.ts';

const root = new URL('../../', import.meta.url).pathname;
const version = readdirSync(import.meta.dirname).findLast((name) => /^\d+\.\d+\.\d+$/.test(name)) ?? assert.fail('There is no fixture.');

test('work that an upgrade does once on stored data is named in the guide, with what a rollback leaves', async () => {
  const done = await Promise.all(
    serviceNames.map(async (service) => {
      const stored = await readArchive(`${root}tests/upgrades/${version}/${service}.bson.br`);
      const at = stored.findIndex(({ collection }) => collection === 'once');
      return at < 0 ? [] : stored.slice(at + 1, at + 1 + Number(stored[at]?.count)).map(({ _id }) => String(_id));
    }),
  );
  const files = [...importGraph(workspaces).keys()].filter((file) => file.startsWith('services/') && !file.endsWith('.test.ts'));
  const work = files.flatMap((file) =>
    [...readFileSync(`${root}${file}`, 'utf8').matchAll(/createOnce\(\s*\{[^}]*\},\s*'([^']+)'/g)].map(([, name = '']) => name),
  );
  assert.ok(work.length > 5);
  const [, section = ''] = readFileSync(`${root}docs/guides/upgrading.md`, 'utf8').split(`\n### From ${version}\n`);
  const named = [...(section.split('\n#')[0] ?? '').matchAll(/^\| `([^`]+)` \|[^|]+\|[^|]+\|$/gm)].map(([, name = '']) => name);
  assert.deepEqual(named.sort(), work.filter((name) => !done.flat().includes(name)).sort());
});
