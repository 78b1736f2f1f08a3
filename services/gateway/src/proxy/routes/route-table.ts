import { nearestPath, patternOf } from './nearest-path.ts';
import type { Route } from './route.ts';

/** A node of the tree of one method: one path segment. */
type Node = { literals: Map<string, Node>; parameter?: Node; route?: Route };

export type RouteTable = ReturnType<typeof createRouteTable>;

/**
 * The route table, compiled to one tree per method. Literal segments are compared byte by byte, so a path matches only in its
 * exact spelling (case, doubled or trailing slashes, dot segments, encoded slashes).
 */
export function createRouteTable(routes: readonly Route[]) {
  const trees = new Map<string, Node>();
  for (const route of routes) {
    // Every GET route also serves HEAD.
    for (const method of route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]) {
      const root = trees.get(method) ?? { literals: new Map() };
      trees.set(method, root);
      add(root, route);
    }
  }
  const sorted = [...trees.keys()].toSorted();
  const patterns = [...new Set(routes.map(({ path }) => path))].map(patternOf);

  return {
    match(method: string, path: string): Route | undefined {
      const tree = trees.get(method);
      return tree && find(tree, path.split('/'), 1);
    },

    /** The existing path that is most like this one. */
    nearest: (path: string) => nearestPath(path, patterns),

    /** The methods of this path, for `Allow`; empty if the path does not exist. */
    methodsOf(path: string): string[] {
      const segments = path.split('/');
      return sorted.filter((method) => {
        const tree = trees.get(method);
        return tree !== undefined && find(tree, segments, 1) !== undefined;
      });
    },
  };
}

function add(root: Node, route: Route) {
  let node = root;
  for (const segment of route.path.split('/').slice(1)) {
    const literal = segment.startsWith('{') ? undefined : segment;
    const next: Node = (literal === undefined ? node.parameter : node.literals.get(literal)) ?? { literals: new Map() };
    if (literal === undefined) node.parameter = next;
    else node.literals.set(literal, next);
    node = next;
  }
  node.route = route;
}

/** Literals take precedence over parameters, as in the services. Paths are short, so backtracking is cheap. */
function find(node: Node, segments: readonly string[], index: number): Route | undefined {
  const segment = segments[index];
  if (segment === undefined) return node.route;
  const literal = node.literals.get(segment);
  const found = literal && find(literal, segments, index + 1);
  if (found) return found;
  return node.parameter && isParameter(segment) ? find(node.parameter, segments, index + 1) : undefined;
}

/** Whether the text is one segment for every parser, before and after decoding. */
function isParameter(segment: string): boolean {
  if (segment === '') return false;
  if (!segment.includes('%')) return segment !== '.' && segment !== '..' && !segment.includes('\\');
  try {
    const decoded = decodeURIComponent(segment);
    return decoded !== '.' && decoded !== '..' && !/[/\\\0]/.test(decoded);
  } catch {
    return false;
  }
}
