import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { specifiersOf } from './import-graph.ts';

const root = new URL('../', import.meta.url).pathname;

/** The packages of this repository that a file can import, by folder. Its own package is always allowed. */
const allowed: [folder: RegExp, packages: readonly string[]][] = [
  [/^libs\/ids\//, []],
  [/^libs\/contracts\//, ['@mp/ids']],
  [/^libs\/rules\//, ['@mp/contracts']],
  [/^libs\/snippet\//, []],
  [/^libs\/templates\//, ['@mp/contracts']],
  [/^libs\/local-infra\//, ['@mp/contracts']],
  // Published: they know the platform only by its API.
  [/^libs\/(sdk|move-in)\//, []],
  [/^libs\/cli\//, ['@mp/move-in']],
  [/^libs\/service-kit\//, ['@mp/ids', '@mp/contracts']],
  [/^libs\/erasures\//, ['@mp/ids', '@mp/contracts', '@mp/service-kit']],
  [/^libs\/guarded-requests\//, ['@mp/service-kit']],
  [/^libs\/test-kit\//, ['@mp/ids', '@mp/contracts', '@mp/service-kit', '@mp/local-infra']],
  [
    /^services\//,
    [
      ...['@mp/ids', '@mp/contracts', '@mp/service-kit', '@mp/erasures', '@mp/guarded-requests'],
      ...['@mp/rules', '@mp/snippet', '@mp/templates'],
    ],
  ],
];

const isTest = (file: string) => /\.test\.ts$|\/test\//.test(file);

async function sources() {
  const files: string[] = [];
  for await (const file of glob('{libs,services}/**/*.{ts,tsx}', { cwd: root, exclude: (name) => /node_modules|dist/.test(String(name)) }))
    files.push(String(file));
  return files;
}

const importsOf = async (file: string) => specifiersOf(file, await readFile(root + file, 'utf8'));

test('imports point one way: from services to libs, from libs to contracts, and never across services', async () => {
  const faults: string[] = [];
  for (const file of await sources()) {
    const rule = allowed.find(([folder]) => folder.test(file));
    if (!rule) continue;
    const own = `@mp/${file.split('/')[1]}`;
    const packages = isTest(file)
      ? [...rule[1], '@mp/test-kit', '@mp/local-infra', '@mp/service-kit', '@mp/contracts', '@mp/ids']
      : rule[1];
    for (const specifier of await importsOf(file)) {
      const [scope, name] = specifier.split('/');
      if (scope === '@mp' && `@mp/${name}` !== own && !packages.includes(`@mp/${name}`)) faults.push(`${file} imports ${specifier}`);
      const outside =
        specifier.startsWith('.') &&
        !new URL(specifier, `file:///${file}`).pathname.startsWith(`/${file.split('/').slice(0, 2).join('/')}/`);
      if (outside) faults.push(`${file} imports from outside its package: ${specifier}`);
    }
  }
  assert.deepEqual(faults, []);
});

test('contracts import only zod, ids, Node and a distance of words, and the kit imports no event', async () => {
  const faults: string[] = [];
  for (const file of await sources()) {
    if (isTest(file)) continue;
    for (const specifier of await importsOf(file)) {
      if (file.startsWith('libs/contracts/') && !/^(\.|zod$|@mp\/ids|node:|fastest-levenshtein$)/.test(specifier))
        faults.push(`${file} imports ${specifier}`);
      if (file.startsWith('libs/service-kit/') && specifier.startsWith('@mp/contracts/events/'))
        faults.push(`${file} imports ${specifier}`);
    }
  }
  assert.deepEqual(faults, []);
});

test('there are no barrels', async () => {
  assert.deepEqual(
    (await sources()).filter((file) => /(^|\/)index\.ts$/.test(file)),
    [],
  );
});
