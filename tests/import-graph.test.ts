import assert from 'node:assert/strict';
import { test } from 'node:test';
import { circlesOf, importGraph, specifiersOf } from './import-graph.ts';
import { layers } from './layers.ts';

const graph = importGraph();

const isTest = (file: string) => file.endsWith('.test.ts');

test('no module imports itself through others, types included', () => {
  assert.deepEqual(
    circlesOf(graph).map((circle) => circle.join(' → ')),
    [],
  );
});

test('the dashboard and every service have layers', () => {
  const programs = new Set([...graph.keys()].map((file) => /^(services\/[^/]+\/src|dashboard\/src)\//.exec(file)?.[1]));
  programs.delete(undefined);
  assert.deepEqual(new Set(Object.keys(layers)), programs);
});

for (const [program, rows] of Object.entries(layers)) {
  const folderOf = (file: string) => (file.startsWith(`${program}/`) ? /^([^/]+)\//.exec(file.slice(program.length + 1))?.[1] : undefined);
  const rowOf = (folder: string) => rows.findIndex((row) => row.includes(folder));

  test(`the folders of ${program} import values only from those below them`, () => {
    const faults: string[] = [];
    for (const [file, targets] of importGraph([program], 'values')) {
      const folder = folderOf(file);
      if (folder === undefined || isTest(file)) continue;
      if (rowOf(folder) === -1) faults.push(`${folder} is in no row`);
      for (const target of targets) {
        const other = folderOf(target);
        if (other !== undefined && other !== folder && rowOf(other) >= rowOf(folder)) faults.push(`${file} imports ${target}`);
      }
    }
    assert.deepEqual([...new Set(faults)], []);
  });

  test(`every folder in the rows of ${program} exists`, () => {
    const folders = new Set([...graph.keys()].map(folderOf));
    assert.deepEqual(
      rows.flat().filter((folder) => !folders.has(folder)),
      [],
    );
  });
}

/** The two folders beside each other, at whatever depth, of which one has the importer and one the target; undefined within one folder. */
function siblingsOf(file: string, target: string): [from: string, to: string] | undefined {
  const [from, to] = [file.split('/'), target.split('/')];
  const depth = from.findIndex((name, index) => name !== to[index]) + 1;
  return depth > 0 && depth < from.length && depth < to.length ? [from.slice(0, depth).join('/'), to.slice(0, depth).join('/')] : undefined;
}

// A folder and its own subfolders are one room: files beside the subfolders assemble them or are shared by them, so both ways are allowed.
test('folders beside each other import values one way only, at every depth', () => {
  const imports = new Map<string, Map<string, string>>();
  for (const [file, targets] of importGraph(Object.keys(layers), 'values')) {
    if (isTest(file)) continue;
    for (const target of targets) {
      const [from, to] = siblingsOf(file, target) ?? [];
      if (from === undefined || to === undefined) continue;
      imports.set(from, new Map([...(imports.get(from) ?? []), [to, `${file} imports ${target}`]]));
    }
  }
  assert.deepEqual(siblingsOf('a/b/c/d/e.ts', 'a/b/f/g.ts'), ['a/b/c', 'a/b/f']);
  assert.equal(siblingsOf('a/b/c.ts', 'a/b/f/g.ts'), undefined);
  assert.ok(imports.has('services/gateway/src/settings/second-factors'));
  const circles = circlesOf(new Map([...imports].map(([from, to]) => [from, [...to.keys()]])));
  assert.deepEqual(
    circles.map((circle) => circle.slice(1).map((to, index) => imports.get(circle[index] ?? '')?.get(to))),
    [],
  );
});

test('webhooks and the engine of workflows import nothing of each other, types included', () => {
  const [webhooks, engine] = ['services/workflows/src/webhooks/', 'services/workflows/src/runs/'];
  const faults = [...graph].flatMap(([file, targets]) =>
    targets
      .filter(
        (target) => (file.startsWith(webhooks) && target.startsWith(engine)) || (file.startsWith(engine) && target.startsWith(webhooks)),
      )
      .map((target) => `${file} imports ${target}`),
  );
  assert.ok([...graph.keys()].some((file) => file.startsWith(webhooks)) && [...graph.keys()].some((file) => file.startsWith(engine)));
  assert.deepEqual(faults, []);
});

test('the graph has every way to import', () => {
  const text =
    "import a from './a.ts';\nimport type { B } from './b.ts';\nimport './c.ts';\nexport { d } from './d.ts';\nawait import('./e.ts');\n";
  assert.deepEqual(specifiersOf('x.ts', text), ['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts']);
  assert.deepEqual(specifiersOf('x.ts', text, 'values'), ['./a.ts', './c.ts', './d.ts', './e.ts']);
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
