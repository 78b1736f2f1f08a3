import '@xyflow/react/dist/base.css';
import { ActionIcon } from '@mantine/core';
import { useElementSize, useReducedMotion } from '@mantine/hooks';
import { IconFocusCentered, IconMinus, IconPlus } from '@tabler/icons-react';
import { type Node, type NodeChange, ReactFlow, ReactFlowProvider, useReactFlow } from '@xyflow/react';
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useMemo, useState } from 'react';
import type { Definition } from '../definition.ts';
import { pathsOf, type Slot, slotKey, stepOf, targetOf } from '../edits/graph.ts';
import { canMove } from '../edits/step-edits.ts';
import type { EmailCounts, StepCounts } from '../workflows.ts';
import classes from './canvas.module.css';
import { cardId, focusCard } from './card-id.ts';
import { type Card, CardNode, EndNode, type Mark, PathNode } from './card-node.tsx';
import type { Editing } from './editing.ts';
import { rowGap } from './lanes.ts';
import { type Direction, draw, type Line, neighborOf, type Placed, stepIdOf } from './layout.ts';
import { Lines } from './lines.tsx';
import type { LitPath } from './lit-path.ts';
import { type Problems, triggerProblems } from './problems.ts';
import { shiftInto } from './shift-into.ts';

export type CanvasProps = {
  label: string;
  definition: Pick<Definition, 'trigger' | 'steps'>;
  named: Card['named'];
  counts?: ReadonlyMap<string, StepCounts> | undefined;
  /** What came of the emails of each step. */
  emails?: ReadonlyMap<string, EmailCounts> | undefined;
  /** Why each step was skipped. */
  skipped?: ReadonlyMap<string, string> | undefined;
  /** How many runs have started. */
  entered?: number | undefined;
  problems?: Problems | undefined;
  /** Whether problems are errors; otherwise they say what is still to do. */
  isStrict?: boolean;
  lit?: LitPath | undefined;
  /** The step that a run is at; it is kept in view. */
  current?: string | null;
  marks?: ReadonlyMap<string, Mark> | undefined;
  /** The ID of the chosen step; null for the trigger. */
  selected?: string | null;
  onSelect?: (stepId: string | null, by: 'pointer' | 'keyboard') => void;
  /** Enter on a card. */
  onOpen?: (stepId: string | null) => void;
  onKeyDown?: (event: KeyboardEvent<HTMLElement>) => void;
  /** Fills the height of its container; otherwise it is as high as it needs to be, within limits. */
  isFilling?: boolean;
  editing?: Editing | undefined;
  actions?: ReactNode;
};

const nodeTypes = { card: CardNode, path: PathNode, end: EndNode };
const margin = 28;
const minZoom = 0.3;
const maxZoom = 1.4;
const minHeight = 200;
const maxHeight = 620;
const panMs = 300;

/** A workflow from its trigger to its ends. Arrow keys select the next card. */
export function Canvas(props: CanvasProps) {
  return (
    <ReactFlowProvider>
      <Inside {...props} />
    </ReactFlowProvider>
  );
}

const arrows: Readonly<Record<string, Direction>> = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' };

function Inside({
  label,
  definition,
  selected: chosen,
  onSelect,
  onOpen,
  onKeyDown,
  isFilling = false,
  editing,
  actions,
  ...look
}: CanvasProps) {
  const [own, setOwn] = useState<string | null>(null);
  const selected = chosen === undefined ? own : chosen;
  const isCounted = look.counts !== undefined;
  // As text: the maps are others at every look for new numbers, and the drawing must stay.
  const [emailed, skipped] = [look.emails, look.skipped].map((steps) => [...(steps?.keys() ?? [])].join(' '));
  const drawing = useMemo(() => draw(definition, { isCounted, emailed, skipped }), [definition, isCounted, emailed, skipped]);
  const [dragged, setDragged] = useState<{ id: string; x: number; y: number }>();
  const { ref, width, height: filled } = useElementSize<HTMLDivElement>();
  const zoom = Math.max(minZoom, Math.min(1, (width - 2 * margin) / Math.max(1, drawing.width)));
  const height = isFilling ? filled : Math.min(maxHeight, Math.max(minHeight, drawing.height * zoom + 2 * margin));
  /** Without anything to pan to, a finger scrolls the page. */
  const fits = drawing.width * zoom <= width - 2 * margin + 1 && drawing.height * zoom + 2 * margin <= maxHeight;
  const flow = useReactFlow();
  const [isReady, setReady] = useState(false);

  const showAll = useEffectEvent(() => {
    const first = drawing.placed[0];
    if (!first || width === 0) return;
    const isNarrow = drawing.width * zoom <= width - 2 * margin + 1;
    // A workflow that is wider than the canvas starts at its trigger.
    const x = isNarrow ? (width - drawing.width * zoom) / 2 : width / 2 - (first.x + first.width / 2) * zoom;
    void flow.setViewport({ x, y: margin, zoom });
  });
  const isMeasured = width > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an edited drawing stays where it was moved to; others fit again.
  useEffect(() => {
    if (isReady && isMeasured) showAll();
  }, [isReady, isMeasured, editing ? null : width, editing ? null : drawing]);

  const isStill = useReducedMotion();
  const reveal = useEffectEvent((stepId: string | null, duration = 0) => {
    const card = drawing.placed.find(({ id }) => id === cardId(stepId));
    if (!card || width === 0) return;
    const view = flow.getViewport();
    const x = view.x + shiftInto(card.x * view.zoom + view.x, card.width * view.zoom, width, 2 * margin);
    const y = view.y + shiftInto(card.y * view.zoom + view.y, card.height * view.zoom, height, 2 * margin);
    if (x !== view.x || y !== view.y) void flow.setViewport({ x, y, zoom: view.zoom }, { duration });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: also after the layout has changed.
  useEffect(() => {
    if (isReady && (editing || chosen !== undefined)) reveal(selected);
  }, [selected, drawing, isReady]);

  const { current = null } = look;
  const follow = useEffectEvent((stepId: string) => reveal(stepId, isStill ? 0 : panMs));
  useEffect(() => {
    if (isReady && isMeasured && current !== null) follow(current);
  }, [current, isReady, isMeasured]);

  const select = (stepId: string | null, by: 'pointer' | 'keyboard') => {
    setOwn(stepId);
    onSelect?.(stepId, by);
  };

  const walk = (event: KeyboardEvent<HTMLDivElement>) => {
    const direction = arrows[event.key];
    const isOnCard = event.target instanceof Element && event.target.matches('[data-card]');
    if (isOnCard && direction && !event.altKey && !event.metaKey && !event.ctrlKey) {
      event.preventDefault();
      const id = neighborOf(drawing, cardId(selected), direction);
      const card = drawing.placed.find((one) => one.id === id);
      if (card) {
        select(stepIdOf(card), 'keyboard');
        focusCard(event.currentTarget, stepIdOf(card));
      }
      return;
    }
    if (isOnCard && event.key === 'Enter' && onOpen) {
      event.preventDefault();
      onOpen(selected);
      return;
    }
    onKeyDown?.(event);
  };

  const nodes = drawing.placed.map((one): Node => nodeOf(one, { definition, selected, select, editing, dragged, ...look }));
  return (
    <section
      ref={ref}
      aria-label={label}
      className={classes.canvas}
      data-filling={isFilling || undefined}
      style={isFilling ? undefined : { height }}
      onKeyDown={walk}
    >
      <ReactFlow
        nodes={nodes}
        nodeTypes={nodeTypes}
        onInit={() => setReady(true)}
        onNodesChange={(changes) => setDragged(draggedBy(changes))}
        onNodeDragStop={(_, node) => {
          setDragged(undefined);
          const before = drawing.placed.find(({ id }) => id === node.id);
          const stepId = before && stepIdOf(before);
          if (before && stepId) editing?.onMoveBy(stepId, Math.round((node.position.y - before.y) / (before.height + rowGap)));
        }}
        nodeDragThreshold={4}
        minZoom={minZoom}
        maxZoom={maxZoom}
        panOnDrag={isFilling || !fits}
        panOnScroll={isFilling}
        zoomOnScroll={false}
        zoomOnDoubleClick={false}
        preventScrolling={isFilling}
        nodesConnectable={false}
        nodesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        panActivationKeyCode={null}
        zoomActivationKeyCode="Meta"
        proOptions={{ hideAttribution: true }}
      >
        <Lines
          lines={drawing.lines}
          isLit={(line) => isLit(line, drawing.placed, look.lit)}
          shareOf={({ slot }) => shareOf(slot, definition, look)}
          dragged={dragged?.id}
          definition={definition}
          editing={editing}
        />
      </ReactFlow>
      <div className={classes.tools}>
        {actions}
        <ActionIcon variant="default" aria-label="Zoom in" onClick={() => void flow.zoomIn()}>
          <IconPlus size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon variant="default" aria-label="Zoom out" onClick={() => void flow.zoomOut()}>
          <IconMinus size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon variant="default" aria-label="Show all" onClick={() => void flow.fitView({ padding: 0.1, maxZoom: 1 })}>
          <IconFocusCentered size={16} aria-hidden />
        </ActionIcon>
      </div>
    </section>
  );
}

function draggedBy(changes: readonly NodeChange[]) {
  for (const one of changes) {
    if (one.type === 'position' && one.dragging && one.position) return { id: one.id, ...one.position };
  }
  return undefined;
}

type Look = Pick<
  CanvasProps,
  'counts' | 'emails' | 'skipped' | 'entered' | 'problems' | 'isStrict' | 'lit' | 'current' | 'marks' | 'named' | 'definition' | 'editing'
> & {
  selected: string | null;
  select: (stepId: string | null, by: 'pointer' | 'keyboard') => void;
  dragged: { id: string; x: number; y: number } | undefined;
};

function nodeOf({ id, part, width, height, x, y }: Placed, look: Look): Node {
  const { definition, editing, dragged, lit } = look;
  const place = {
    id,
    width,
    height,
    // Without it, React Flow would measure every card again after every edit.
    measured: { width, height },
    position: dragged?.id === id ? { x: dragged.x, y: dragged.y } : { x, y },
    draggable: false,
  };
  if (part.kind === 'end') return { ...place, type: 'end', data: {} };
  if (part.kind === 'path') {
    const step = stepOf(definition, part.slot.from);
    return {
      ...place,
      type: 'path',
      data: { step, path: part.slot.path, named: look.named, isLit: lit?.slots.has(slotKey(part.slot)) ?? false },
    };
  }
  const stepId = part.kind === 'step' ? part.stepId : null;
  const step = stepOf(definition, stepId);
  const counts = stepId === null ? undefined : look.counts?.get(stepId);
  const data: Card = {
    step,
    trigger: definition.trigger,
    named: look.named,
    counts,
    emails: stepId === null ? undefined : look.emails?.get(stepId),
    skipped: stepId === null ? undefined : look.skipped?.get(stepId),
    isCounted: look.counts !== undefined,
    entered: look.entered,
    problems: look.problems?.get(stepId ?? triggerProblems) ?? [],
    isStrict: look.isStrict ?? false,
    isLit: lit !== undefined && (stepId === null || lit.steps.has(stepId)),
    isCurrent: stepId !== null && look.current === stepId,
    mark: stepId === null ? undefined : look.marks?.get(stepId),
    isReachable: look.selected === stepId,
    isSelected: look.selected === stepId && (editing !== undefined || stepId !== null),
    onSelect: () => look.select(stepId, 'pointer'),
  };
  const canDrag = editing !== undefined && stepId !== null && (canMove(definition, stepId, 'up') || canMove(definition, stepId, 'down'));
  return { ...place, type: 'card', data, draggable: canDrag };
}

/** A line is highlighted with its slot; a line to the label of a lane, with the slot of that lane. */
function isLit({ slot, target }: Line, placed: readonly Placed[], lit: LitPath | undefined): boolean {
  if (!lit) return false;
  const part = placed.find(({ id }) => id === target)?.part;
  const lane = slot ?? (part?.kind === 'path' ? part.slot : undefined);
  return lane !== undefined && lit.slots.has(slotKey(lane));
}

/** The share of the runs that continued from the step on this path; undefined if it cannot be distinguished from another path. */
function shareOf(slot: Slot | null, definition: Pick<Definition, 'steps'>, { counts }: Pick<CanvasProps, 'counts'>): number | undefined {
  const step = slot && stepOf(definition, slot.from);
  const of = step && counts?.get(step.id);
  if (!slot || !step || !of || of.entered === 0) return undefined;
  const target = targetOf(definition, slot);
  if (pathsOf(step).filter((to) => to === target).length > 1) return undefined;
  return of.next.find(({ step_id }) => step_id === target)?.rate ?? 0;
}
