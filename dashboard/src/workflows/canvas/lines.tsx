import { UnstyledButton } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { ViewportPortal } from '@xyflow/react';
import type { Definition } from '../definition.ts';
import { pathsOf, type Slot, slotKey, stepOf } from '../edits/graph.ts';
import { stepName } from '../step-labels.ts';
import classes from './canvas.module.css';
import type { Editing } from './editing.ts';
import { InsertMenu } from './insert-menu.tsx';
import { type Point, rowGap } from './lanes.ts';
import type { Line } from './layout.ts';

type Props = {
  lines: readonly Line[];
  isLit: (line: Line) => boolean;
  /** The share of runs that took it, from 0 to 1. */
  shareOf: (line: Line) => number | undefined;
  /** The card that is being dragged. Its lines stay where they were, faintly. */
  dragged: string | undefined;
  definition: Pick<Definition, 'steps'>;
  editing: Editing | undefined;
};

/**
 * The lines between cards, each with a `+` to insert a step or the share of the runs that took it. They are drawn from the layout
 * alone. Edges of React Flow would depend on its measurements of the cards in the browser.
 */
export const Lines = ({ lines, isLit, shareOf, dragged, definition, editing }: Props) => (
  <ViewportPortal>
    <svg className={classes.lines} aria-hidden="true">
      {/* Those that are lit come last, above the others. */}
      {lines
        .toSorted((one, other) => Number(isLit(one)) - Number(isLit(other)))
        .map((line) => (
          <path
            key={line.id}
            d={pathOf(line.points)}
            className={classes.line}
            data-line={line.id}
            data-lit={isLit(line) || undefined}
            data-faint={line.source === dragged || line.target === dragged || undefined}
          />
        ))}
    </svg>
    {lines.map((line) => {
      const { id, slot, points } = line;
      const share = shareOf(line);
      const [start] = points;
      if (!slot || !start || !(editing || share !== undefined)) return null;
      return (
        <div
          key={id}
          className={classes.onLine}
          style={{ transform: `translate(-50%, -50%) translate(${start.x}px, ${start.y + rowGap / 2}px)` }}
        >
          {editing ? <Insert slot={slot} editing={editing} definition={definition} /> : <Share share={share ?? 0} />}
        </div>
      );
    })}
  </ViewportPortal>
);

const radius = 12;

/** A line with round corners. */
function pathOf(points: readonly Point[]): string {
  const corners = points.filter(({ x, y }, index) => x !== points[index - 1]?.x || y !== points[index - 1]?.y);
  return corners
    .map((at, index) => {
      const [before, after] = [corners[index - 1], corners[index + 1]];
      if (!before) return `M${at.x} ${at.y}`;
      if (!after) return `L${at.x} ${at.y}`;
      const start = towards(at, before);
      const end = towards(at, after);
      return `L${start.x} ${start.y}Q${at.x} ${at.y} ${end.x} ${end.y}`;
    })
    .join('');
}

/** The point on the way to another one where a corner begins: at most halfway, as that one may have a corner, too. */
function towards(from: Point, to: Point): Point {
  const distance = Math.hypot(to.x - from.x, to.y - from.y);
  const share = Math.min(radius, distance / 2) / distance;
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}

const Share = ({ share }: { share: number }) => (
  <span className={classes.share} title="Of the runs that reached this step">
    {Math.round(share * 100)}%
  </span>
);

function Insert({ slot, editing, definition }: { slot: Slot; editing: Editing; definition: Pick<Definition, 'steps'> }) {
  const { openSlot, setOpenSlot, choicesAt, onChoose } = editing;
  const button = (
    <UnstyledButton
      className={classes.insert}
      aria-label={insertLabel(slot, definition)}
      data-slot={slotKey(slot)}
      onClick={() => setOpenSlot(slot)}
    >
      <IconPlus size={14} aria-hidden />
    </UnstyledButton>
  );
  if (!openSlot || slotKey(openSlot) !== slotKey(slot)) return button;
  return (
    <InsertMenu choices={choicesAt(slot)} onChoose={(value) => onChoose(slot, value)} onClose={() => setOpenSlot(null)}>
      {button}
    </InsertMenu>
  );
}

function insertLabel(slot: Slot, definition: Pick<Definition, 'steps'>): string {
  const step = stepOf(definition, slot.from);
  if (!step) return 'Insert a step after the trigger';
  const paths = pathsOf(step).length;
  return `Insert a step after ${stepName(step)}${paths > 1 ? `, path ${slot.path + 1}` : ''}`;
}
