import type { PathsResult } from './reports.ts';

export type PlacedNode = { step: number; name: string | null; sessions: number; ended: number; x: number; y: number; height: number };
export type PlacedLink = { key: string; sessions: number; path: string; width: number };

const columnWidth = 230;
const nodeWidth = 14;
const gap = 30;
const chartHeight = 420;
const minHeight = 2;

/** Places the nodes of each step in a column, and links as bands between them, in proportion to their sessions. */
export function pathsLayout({ steps }: Pick<PathsResult, 'steps'>) {
  const largest = Math.max(1, ...steps.map(({ nodes }) => nodes.reduce((sum, { sessions }) => sum + sessions, 0)));
  const most = Math.max(1, ...steps.map(({ nodes }) => nodes.length));
  const scale = chartHeight / largest;
  const placed = new Map<string, PlacedNode>();
  const keyOf = (step: number, name: string | null) => `${step} ${name === null ? '' : `:${name}`}`;
  for (const { step, nodes } of steps) {
    let y = 0;
    for (const { node, sessions, ended } of nodes) {
      const height = Math.max(minHeight, sessions * scale);
      placed.set(keyOf(step, node), { step, name: node, sessions, ended, x: (step - 1) * columnWidth, y, height });
      y += height + gap;
    }
  }
  const [leaving, arriving] = [new Map<string, number>(), new Map<string, number>()];
  /** The next free part of the side of a node, for a band of this width. */
  const taken = (side: Map<string, number>, key: string, width: number) => {
    const offset = side.get(key) ?? 0;
    side.set(key, offset + width);
    return offset;
  };
  const links = steps.flatMap(({ step, links: own }) =>
    own.flatMap(({ from, to, sessions }): PlacedLink[] => {
      const [source, target] = [placed.get(keyOf(step, from)), placed.get(keyOf(step + 1, to))];
      if (!source || !target) return [];
      const width = sessions * scale;
      const y1 = source.y + taken(leaving, keyOf(step, from), width) + width / 2;
      const y2 = target.y + taken(arriving, keyOf(step + 1, to), width) + width / 2;
      const [x1, x2] = [source.x + nodeWidth, target.x];
      const middle = (x1 + x2) / 2;
      return [{ key: `${step} ${from} ${to}`, sessions, width, path: `M${x1},${y1} C${middle},${y1} ${middle},${y2} ${x2},${y2}` }];
    }),
  );
  return { nodes: [...placed.values()], links, nodeWidth, width: steps.length * columnWidth, height: chartHeight + most * gap };
}
