import { UnstyledButton } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getSmoothStepPath } from '@xyflow/react';
import type { Definition } from '../definition.ts';
import { stepName } from '../step-words.ts';
import classes from './canvas.module.css';
import type { Editing } from './editing.ts';
import { type Slot, slotKey, stepOf, waysOf } from './graph.ts';
import { InsertMenu } from './insert-menu.tsx';

export type SlotLook = {
  slot: Slot | null;
  isLit: boolean;
  /** The share of runs that took it, from 0 to 1. */
  share: number | undefined;
  editing: Editing | undefined;
  definition: Pick<Definition, 'steps'>;
};

/** A line between cards, with a `+` to insert a step or the share of the runs that took it. */
export function SlotLine({ data, ...line }: EdgeProps & { data?: SlotLook }) {
  const { sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition } = line;
  const [path, labelX, labelY] = getSmoothStepPath({
    ...{ sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition },
    borderRadius: 12,
  });
  // Above where a line turns, as several lines can meet below.
  const isStraight = Math.abs(sourceX - targetX) < 1;
  const at = isStraight ? { x: labelX, y: labelY } : { x: sourceX, y: Math.min(sourceY + 16, labelY) };
  const { slot, editing, share } = data ?? {};
  return (
    <>
      <BaseEdge path={path} className={classes.line ?? ''} {...(data?.isLit && { 'data-lit': true })} />
      {slot && (editing || share !== undefined) && (
        <EdgeLabelRenderer>
          <div className={classes.onLine} style={{ transform: `translate(-50%, -50%) translate(${at.x}px, ${at.y}px)` }}>
            {editing ? (
              <Insert slot={slot} editing={editing} definition={data?.definition ?? { steps: [] }} />
            ) : (
              <Share share={share ?? 0} />
            )}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  );
}

const Share = ({ share }: { share: number }) => (
  <span className={classes.share} title="Of the runs that reached this step">
    {Math.round(share * 100)}%
  </span>
);

function Insert({ slot, editing, definition }: { slot: Slot; editing: Editing; definition: Pick<Definition, 'steps'> }) {
  const { openSlot, setOpenSlot, choicesAt, onChoose } = editing;
  const button = (
    <UnstyledButton className={classes.insert} aria-label={insertLabel(slot, definition)} onClick={() => setOpenSlot(slot)}>
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
  const ways = waysOf(step).length;
  return `Insert a step after ${stepName(step)}${ways > 1 ? `, path ${slot.way + 1}` : ''}`;
}
