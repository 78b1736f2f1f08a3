import assert from 'node:assert/strict';
import { test } from 'node:test';
import { circlesOf, importGraph, specifiersOf } from './import-graph.ts';

const graph = importGraph();

/** The folders of the gateway, each with the folders it may import from. What is not listed assembles them: app, main, cli. */
const layers: Record<string, readonly string[]> = {
  quotas: [],
  documentation: [],
  'dashboard-files': [],
  credentials: ['quotas'],
  proxy: ['credentials', 'quotas', 'documentation'],
  settings: ['credentials', 'quotas', 'documentation'],
  journal: ['settings', 'credentials', 'quotas'],
};

const layerOf = (file: string) => /^services\/gateway\/src\/([^/]+)/.exec(file)?.[1];
const isTest = (file: string) => file.endsWith('.test.ts');

test('no module imports itself through others, types included', () => {
  assert.deepEqual(
    circlesOf(graph).map((circle) => circle.join(' → ')),
    [],
  );
});

test('inside the gateway, imports point from the assembly to the settings API and the proxy, and from both to credentials and quotas', () => {
  const faults: string[] = [];
  for (const [file, targets] of graph) {
    const layer = layerOf(file);
    const allowed = layer === undefined ? undefined : layers[layer];
    if (!layer || !allowed || isTest(file)) continue;
    for (const target of targets) {
      const other = layerOf(target);
      if (other !== undefined && other !== layer && !allowed.includes(other)) faults.push(`${file} imports ${target}`);
    }
  }
  assert.deepEqual(faults, []);
});

test('the graph has every layer, and every way to import', () => {
  for (const layer of Object.keys(layers))
    assert.ok(
      [...graph.keys()].some((file) => layerOf(file) === layer),
      `${layer} has no files`,
    );
  const text =
    "import a from './a.ts';\nimport type { B } from './b.ts';\nimport './c.ts';\nexport { d } from './d.ts';\nawait import('./e.ts');\n";
  assert.deepEqual(specifiersOf('x.ts', text), ['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts']);
  assert.deepEqual(
    circlesOf(
      new Map([
        ['a', ['b']],
        ['b', ['c']],
        ['c', ['b']],
      ]),
    ),
    [['b', 'c', 'b']],
  );
});
