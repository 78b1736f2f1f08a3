/** Where the paths between things lead: which meet, and which lead back. */
type Flow = {
  /** Where the drawing starts: the first thing, and whatever cannot be reached from it. */
  roots: readonly string[];
  out: ReadonlyMap<string, readonly Edge[]>;
  /** Edges that lead back up. */
  loops: ReadonlySet<Edge>;
  /** Things that several edges lead to, below the last thing that all paths to them have in common; null is above all roots. */
  joins: ReadonlyMap<string | null, readonly string[]>;
};

type Size = { width: number; height: number };
type Edge = { id: string; source: string; target: string };
export type Point = { x: number; y: number };

/** An edge that leaves a block. Below its last point, the way down is free. */
type Exit = { edge: Edge; points: readonly Point[] };

/** A rectangle with everything that only its top leads to. */
type Block = Size & {
  /** The `x` at which lines enter from above. */
  entries: readonly number[];
  exits: readonly Exit[];
  places: readonly (readonly [id: string, at: Point])[];
  routes: readonly (readonly [id: string, points: readonly Point[]])[];
  parts: readonly { block: Block; by: Point }[];
};

type Arranged = Size & { places: ReadonlyMap<string, Point>; routes: ReadonlyMap<string, readonly Point[]> };

export const rowGap = 46;
const laneGap = 36;
const labelGap = 34;
/** Between the line that lanes meet on and what follows. */
const meetingGap = 18;
const channel = 24;
const loopGap = 9;

/**
 * Places things from top to bottom: the lanes below a thing side by side in the order of its edges, and what they meet at
 * centered below them. Each lane has its own range of `x`, so lanes do not overlap, what follows one stays below it, and
 * lines cross only if the order of the lanes makes them. A thing with several edges leads to a label with each, which nothing
 * else leads to. Returns the top left corners, the corners of each line, and the size.
 */
export function arrange(sizes: ReadonlyMap<string, Size>, edges: readonly Edge[]): Arranged {
  const flow = flowOf([...sizes.keys()], edges);
  const isJoin = new Set([...flow.joins.values()].flat());

  const blockOf = (id: string): Block => {
    const paths = flow.out.get(id) ?? [];
    const lanes = paths.map((edge) => {
      const leaves = flow.loops.has(edge) || isJoin.has(edge.target);
      return leaves ? { ...empty, exits: [{ edge, points: [{ x: 0, y: -rowGap }] }] } : blockOf(edge.target);
    });
    const size = sizes.get(id) ?? { width: 0, height: 0 };
    const block = topped(id, size, paths, joined(id, lanes));
    const [x = 0] = block.entries;
    return looped(
      block,
      ({ edge }) => edge.target === id && flow.loops.has(edge),
      () => ({ x, y: 0 }),
    );
  };

  /** The lanes below a thing, with what they meet at. */
  const joined = (id: string | null, lanes: readonly Block[]): Block => {
    const columns = [...lanes];
    for (const join of flow.joins.get(id) ?? []) {
      const leads = ({ edge }: Exit) => edge.target === join && !flow.loops.has(edge);
      const first = columns.findIndex(({ exits }) => exits.some(leads));
      const last = columns.findLastIndex(({ exits }) => exits.some(leads));
      columns.splice(first, last - first + 1, met(beside(columns.slice(first, last + 1)), leads, blockOf(join)));
    }
    return beside(columns);
  };

  const drawn = joined(null, flow.roots.map(blockOf));
  const places = new Map(placesOf(drawn));
  // Loops that are not entered at the top.
  const whole = looped(
    drawn,
    () => true,
    (id) => ({ x: (places.get(id)?.x ?? 0) + (sizes.get(id)?.width ?? 0) / 2, y: places.get(id)?.y ?? 0 }),
  );
  return { width: whole.width, height: whole.height, places, routes: new Map(routesOf(whole)) };
}

const empty: Block = { width: 0, height: 0, entries: [0], exits: [], places: [], routes: [], parts: [] };
const origin: Point = { x: 0, y: 0 };

const plus = (a: Point, b: Point): Point => ({ x: a.x + b.x, y: a.y + b.y });
const endOf = ({ points }: Exit): Point => points.at(-1) ?? origin;

function* placesOf({ places, parts }: Block, by = origin): Generator<[string, Point]> {
  for (const [id, at] of places) yield [id, plus(at, by)];
  for (const part of parts) yield* placesOf(part.block, plus(by, part.by));
}

function* routesOf({ routes, parts }: Block, by = origin): Generator<[string, Point[]]> {
  for (const [id, points] of routes) yield [id, points.map((at) => plus(at, by))];
  for (const part of parts) yield* routesOf(part.block, plus(by, part.by));
}

const moved = (block: Block, by: Point): Block => ({
  ...empty,
  width: block.width,
  height: block.height,
  entries: block.entries.map((x) => x + by.x),
  exits: block.exits.map(({ edge, points }) => ({ edge, points: points.map((at) => plus(at, by)) })),
  parts: [{ block, by }],
});

/** Columns side by side, in one block. */
function beside(columns: readonly Block[]): Block {
  let right = -laneGap;
  const parts = columns.map((column) => {
    const at = moved(column, { x: right + laneGap, y: 0 });
    right += laneGap + column.width;
    return at;
  });
  return {
    ...empty,
    width: Math.max(0, right),
    height: Math.max(0, ...columns.map(({ height }) => height)),
    entries: parts.flatMap(({ entries }) => entries),
    exits: parts.flatMap(({ exits }) => exits),
    parts: parts.flatMap((one) => one.parts),
  };
}

/** The block of a thing above its lanes. */
function topped(id: string, size: Size, paths: readonly Edge[], lanes: Block): Block {
  const middle = paths.length > 0 ? ((lanes.entries[0] ?? 0) + (lanes.entries.at(-1) ?? 0)) / 2 : size.width / 2;
  const gap = paths.length > 1 ? labelGap : rowGap;
  const left = Math.min(0, middle - size.width / 2);
  const top = size.height + gap;
  const below = moved(lanes, { x: -left, y: top });
  const x = middle - left;
  const leaving = new Set(lanes.exits.map(({ edge }) => edge));
  return {
    ...below,
    width: Math.max(lanes.width, middle + size.width / 2) - left,
    height: lanes.height === 0 ? size.height : top + lanes.height,
    entries: [x],
    places: [[id, { x: x - size.width / 2, y: 0 }]],
    routes: paths
      .filter((edge) => !leaving.has(edge))
      .map((edge, index) => {
        const to = below.entries[index] ?? x;
        const turn = [x, to].map((at) => ({ x: at, y: top - gap / 2 }));
        return [edge.id, [{ x, y: size.height }, ...(to === x ? [] : turn), { x: to, y: top }]];
      }),
  };
}

/** Lanes with what they meet at below them. Edges that lead further down pass it on the side on which they are. */
function met(lanes: Block, leads: (exit: Exit) => boolean, below: Block): Block {
  const feeding = lanes.exits.filter(leads);
  const xs = feeding.map((exit) => endOf(exit).x);
  const middle = (Math.min(...xs) + Math.max(...xs)) / 2;
  const turn = lanes.height + rowGap;
  const top = turn + meetingGap;
  const by = { x: middle - (below.entries[0] ?? 0), y: top };

  const passing = lanes.exits.filter((exit) => !leads(exit)).toSorted((a, b) => endOf(a).x - endOf(b).x);
  const isLeft = (exit: Exit) => endOf(exit).x < Math.min(...xs);
  const passed = (exits: readonly Exit[], limit: number, side: -1 | 1) =>
    exits.map((exit, index): Exit => {
      const { x } = endOf(exit);
      const free = limit + side * channel * (index + 1);
      if (side === 1 ? x >= free : x <= free) return exit;
      const y = turn - Math.min(index, 4) * 4;
      return { ...exit, points: [...exit.points, { x, y }, { x: free, y }] };
    });
  const onLeft = passed(passing.filter(isLeft).toReversed(), by.x, -1);
  const onRight = passed(
    passing.filter((exit) => !isLeft(exit)),
    by.x + below.width,
    1,
  );
  const ends = [...onLeft, ...onRight].map((exit) => endOf(exit).x);
  const left = Math.min(0, by.x, ...ends);
  const right = Math.max(lanes.width, by.x + below.width, ...ends);
  const { exits, parts } = moved(below, by);
  const whole: Block = {
    width: right - left,
    height: top + below.height,
    entries: lanes.entries,
    exits: [...onLeft, ...onRight, ...exits],
    places: [],
    routes: feeding.map(({ edge, points }) => {
      const { x } = points.at(-1) ?? origin;
      return [edge.id, [...points, { x, y: turn }, { x: middle, y: turn }, { x: middle, y: top }]];
    }),
    parts: [...lanes.parts, ...parts],
  };
  return moved(whole, { x: -left, y: 0 });
}

/** Leads the chosen exits back up, on the right of the block. */
function looped(block: Block, isChosen: (exit: Exit) => boolean, topOf: (id: string) => Point): Block {
  let { width, height } = block;
  const routes = block.exits.filter(isChosen).map(({ edge, points }): [string, Point[]] => {
    width += channel;
    height += rowGap;
    const { x } = points.at(-1) ?? origin;
    const to = topOf(edge.target);
    const across = to.y - loopGap;
    const around = [
      { x, y: height },
      { x: width, y: height },
      { x: width, y: across },
      { x: to.x, y: across },
    ];
    return [edge.id, [...points, ...around, to]];
  });
  return { ...block, width, height, routes: [...block.routes, ...routes], exits: block.exits.filter((exit) => !isChosen(exit)) };
}

function flowOf(ids: readonly string[], edges: readonly Edge[]): Flow {
  const out = Map.groupBy(edges, ({ source }) => source);
  const into = Map.groupBy(edges, ({ target }) => target);
  const loops = new Set<Edge>();
  const visited = new Map<string, 'open' | 'done'>();
  /** So that every edge that is not a loop leads from an earlier one to a later one. */
  const order: string[] = [];
  const visit = (id: string) => {
    visited.set(id, 'open');
    for (const edge of out.get(id) ?? []) {
      const state = visited.get(edge.target);
      if (state === 'open') loops.add(edge);
      else if (state === undefined) visit(edge.target);
    }
    visited.set(id, 'done');
    order.unshift(id);
  };
  const roots: string[] = [];
  const [first = ''] = ids;
  for (const id of [first, ...ids.filter((one) => !into.has(one)), ...ids]) {
    if (visited.has(id)) continue;
    roots.push(id);
    visit(id);
  }
  for (const root of roots) for (const edge of into.get(root) ?? []) loops.add(edge);

  const joins = new Map<string | null, string[]>();
  const above = new Map<string | null, { id: string | null; depth: number }>([[null, { id: null, depth: 0 }]]);
  const depthOf = (id: string | null) => above.get(id)?.depth ?? 0;
  const meeting = (a: string | null, b: string | null): string | null => {
    let [one, other] = [a, b];
    while (one !== other) {
      if (depthOf(one) >= depthOf(other)) one = above.get(one)?.id ?? null;
      else other = above.get(other)?.id ?? null;
    }
    return one;
  };
  for (const id of order) {
    const sources = (into.get(id) ?? []).filter((edge) => !loops.has(edge)).map(({ source }) => source);
    const under = sources.length === 0 ? null : sources.reduce<string | null>(meeting, sources[0] ?? null);
    above.set(id, { id: under, depth: depthOf(under) + 1 });
    if (sources.length > 1) joins.set(under, [...(joins.get(under) ?? []), id]);
  }
  return { roots, out, loops, joins };
}
