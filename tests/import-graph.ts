import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';

const root = join(import.meta.dirname, '..');
export const workspaces = ['libs/*', 'services/*', 'dashboard'];

export type ImportGraph = ReadonlyMap<string, readonly string[]>;

type Imported = 'all' | 'values';

/** What each source file in these folders imports, by path from the root. Packages from npm are omitted. */
export function importGraph(folders: readonly string[] = workspaces, imported: Imported = 'all'): ImportGraph {
  const files = folders
    .flatMap((folder) => globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root, exclude: (name) => name === 'node_modules' || name === 'dist' }))
    .filter((file) => !file.endsWith('.d.ts'))
    .sort();
  const known = new Set(files);
  return new Map(
    files.map((file) => [
      file,
      specifiersOf(file, readFileSync(join(root, file), 'utf8'), imported).flatMap((specifier) => {
        const target = fileOf(specifier, file);
        return target !== undefined && known.has(target) ? [target] : [];
      }),
    ]),
  );
}

/** What a module imports or re-exports, as it is written: `values` omits imports of types only. */
export function specifiersOf(file: string, text: string, imported: Imported = 'all'): string[] {
  const { module, errors } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  const literal = ({ start, end }: { start: number; end: number }) => /^['"](.*)['"]$/.exec(text.slice(start, end))?.[1] ?? [];
  const isWanted = ({ isType }: { isType: boolean }) => imported === 'all' || !isType;
  return [
    ...module.staticImports.flatMap(({ entries, moduleRequest }) =>
      entries.length === 0 || entries.some(isWanted) ? moduleRequest.value : [],
    ),
    ...module.staticExports.flatMap(({ entries }) => entries.filter(isWanted).flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])),
    ...module.dynamicImports.flatMap(({ moduleRequest }) => literal(moduleRequest)),
  ];
}

/** The file of a relative path or of another workspace's export; undefined for packages from npm. */
function fileOf(specifier: string, importer: string): string | undefined {
  if (specifier.startsWith('.')) return join(dirname(importer), specifier);
  const [, library, path = library] = /^@mp\/([a-z-]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  return library === undefined ? undefined : `libs/${library}/src/${path}.ts`;
}

/** One cycle for each group of files that import each other, from a file back to itself. */
export function circlesOf(graph: ImportGraph): string[][] {
  const circles: string[][] = [];
  const left = new Set<string>();
  const path: string[] = [];

  function visit(file: string) {
    if (left.has(file)) return;
    const began = path.indexOf(file);
    if (began !== -1) {
      circles.push([...path.slice(began), file]);
      return;
    }
    path.push(file);
    for (const target of graph.get(file) ?? []) visit(target);
    path.pop();
    left.add(file);
  }

  for (const file of graph.keys()) visit(file);
  return circles;
}
