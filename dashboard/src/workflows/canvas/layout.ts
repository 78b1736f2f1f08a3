import type { Definition } from '../definition.ts';
import { pathsOf, type Slot, slotKey, targetOf } from '../edits/graph.ts';
import { cardId } from './card-id.ts';
import { arrange, type Point } from './lanes.ts';

type Box = { id: string; x: number; y: number; width: number; height: number };
type Part = { kind: 'trigger' } | { kind: 'step'; stepId: string } | { kind: 'path' | 'end'; slot: Slot };

/** What is drawn: the trigger, the steps, a label above each lane, and the ends. `x` and `y` are those of the top left corner. */
export type Placed = Box & { part: Part };

/** A line with its corners. The one from a step to the label of a lane has no slot: nothing can be inserted there. */
export type Line = { id: string; source: string; target: string; slot: Slot | null; points: readonly Point[] };

export type Drawing = { placed: readonly Placed[]; lines: readonly Line[]; width: number; height: number };

const cardWidth = 264;
const cardHeight = 76;
const countedCardHeight = 104;
/** The height of a card that also has a line about its emails. */
const emailedCardHeight = 126;
/** The height of the two lines that say why emails were skipped. */
const skippedHeight = 40;
const sizes = { path: { width: 212, height: 28 }, end: { width: 44, height: 22 } };

type Counted = {
  isCounted?: boolean;
  /** The steps with a line about their emails, separated by spaces. */
  emailed?: string | undefined;
  /** The steps that say why emails were skipped. */
  skipped?: string | undefined;
};

const stepsIn = (text = '') => new Set(text.split(' '));

/** Places everything from top to bottom, with lanes side by side. Cards with counts are higher. */
export function draw(definition: Pick<Definition, 'steps'>, { isCounted = false, emailed, skipped }: Counted = {}): Drawing {
  const [withEmails, withReasons] = [stepsIn(emailed), stepsIn(skipped)];
  const heightOf = (part: Part) => {
    if (!isCounted) return cardHeight;
    if (part.kind !== 'step') return countedCardHeight;
    return (withEmails.has(part.stepId) ? emailedCardHeight : countedCardHeight) + (withReasons.has(part.stepId) ? skippedHeight : 0);
  };
  const parts = new Map<string, Part>();
  const lines: Omit<Line, 'points'>[] = [];

  const connect = (source: string, target: string, slot: Slot | null) => lines.push({ id: `${source}>${target}`, source, target, slot });
  const lead = (source: string, slot: Slot) => {
    const to = targetOf(definition, slot);
    if (to !== null && known.has(to)) return connect(source, cardId(to), slot);
    const id = `end:${slotKey(slot)}`;
    parts.set(id, { kind: 'end', slot });
    connect(source, id, slot);
  };

  // A duplicate ID is an error that the card shows; it is drawn once.
  const steps = definition.steps.filter(({ id }, index) => definition.steps.findIndex((step) => step.id === id) === index);
  const known = new Set(steps.map(({ id }) => id));
  parts.set(cardId(null), { kind: 'trigger' });
  for (const { id } of steps) parts.set(cardId(id), { kind: 'step', stepId: id });
  lead(cardId(null), { from: null, path: 0 });
  for (const step of steps) {
    const paths = pathsOf(step);
    for (const path of paths.keys()) {
      const slot = { from: step.id, path };
      if (paths.length === 1) {
        lead(cardId(step.id), slot);
        continue;
      }
      const id = `path:${slotKey(slot)}`;
      parts.set(id, { kind: 'path', slot });
      connect(cardId(step.id), id, null);
      lead(id, slot);
    }
  }

  const sizeOf = (part: Part) =>
    part.kind === 'path' || part.kind === 'end' ? sizes[part.kind] : { width: cardWidth, height: heightOf(part) };
  const { places, routes, width, height } = arrange(new Map([...parts].map(([id, part]) => [id, sizeOf(part)])), lines);
  return {
    placed: [...parts].map(([id, part]) => ({ id, part, ...sizeOf(part), ...(places.get(id) ?? { x: 0, y: 0 }) })),
    lines: lines.map((line) => ({ ...line, points: routes.get(line.id) ?? [] })),
    width,
    height,
  };
}

export type Direction = 'up' | 'down' | 'left' | 'right';

const isCard = ({ part }: Placed) => part.kind === 'trigger' || part.kind === 'step';
export const stepIdOf = ({ part }: Placed): string | null => (part.kind === 'step' ? part.stepId : null);

/** The card that an arrow key leads to: along the lines up and down, to the nearest card beside it left and right. */
export function neighborOf({ placed, lines }: Drawing, id: string, direction: Direction): string | undefined {
  const byId = new Map(placed.map((one) => [one.id, one]));
  const at = byId.get(id);
  if (!at) return undefined;
  if (direction === 'left' || direction === 'right') {
    const middle = (one: Placed) => ({ x: one.x + one.width / 2, y: one.y + one.height / 2 });
    const from = middle(at);
    const distance = (one: Placed) => Math.abs(middle(one).x - from.x) + 3 * Math.abs(middle(one).y - from.y);
    return placed
      .filter((one) => isCard(one) && (direction === 'left' ? middle(one).x < from.x - 1 : middle(one).x > from.x + 1))
      .toSorted((a, b) => distance(a) - distance(b))[0]?.id;
  }
  const seen = new Set([id]);
  for (const open = [id]; open.length > 0; ) {
    const next = open.shift();
    for (const { source, target } of lines) {
      const [from, to] = direction === 'down' ? [source, target] : [target, source];
      const found = byId.get(to);
      if (from !== next || !found || seen.has(to)) continue;
      if (isCard(found)) return to;
      seen.add(to);
      open.push(to);
    }
  }
  return undefined;
}
