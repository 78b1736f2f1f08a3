import { ActionIcon, Drawer, getDefaultZIndex } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconArrowBackUp, IconArrowForwardUp, IconArrowRight, IconClipboard } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { counted } from '../../numbers/format-number.ts';
import { useSendingSettings } from '../../sending/sending-settings.ts';
import type { Definition } from '../definition.ts';
import { pathsOf, type Slot, slotsTo, stepOf } from '../edits/graph.ts';
import { canInsert, canMove, canRemove, connect, copyOf, duplicate, insert, move, moveBy, remove } from '../edits/step-edits.ts';
import { useEmailDialog } from '../email-dialog-context.ts';
import { readDefinition } from '../read-definition.ts';
import { useSegmentDialog } from '../segment-dialog-context.ts';
import { stepName } from '../step-labels.ts';
import { useStepNames } from '../step-names.ts';
import type { WorkflowStep } from '../workflows.ts';
import { focusCard } from './card-id.ts';
import type { Editing } from './editing.ts';
import { type History, record, redo, undo } from './history.ts';
import type { InsertChoice } from './insert-menu.tsx';
import { Canvas } from './lazy-canvas.tsx';
import { type Problems, triggerProblems } from './problems.ts';
import { isStepType, newStep, stepKinds, stepTypes } from './step-kinds.ts';
import { StepPanel } from './step-panel.tsx';
import classes from './workflow-editor.module.css';

type Props = {
  history: History<Definition>;
  onHistory: (history: History<Definition>) => void;
  problems: Problems;
  /** Whether problems are errors; otherwise they say what is still to do. */
  isStrict: boolean;
  selected: string | null;
  onSelect: (stepId: string | null) => void;
  /** The fields of the workflow itself, which the trigger shows. */
  about: ReactNode;
};

const narrow = '(max-width: 62em)';
const toStep = 'to:';
const pasted = 'paste';

/** The canvas with the fields of the chosen card beside it, or in a drawer on narrow screens. */
export function WorkflowEditor({ history, onHistory, problems, isStrict, selected: chosen, onSelect, about }: Props) {
  const definition = history.present;
  const named = useStepNames(definition);
  const isNarrow = useMediaQuery(narrow) ?? false;
  const dialogs = [useEmailDialog(), useSegmentDialog()];
  const { data: settings } = useSendingSettings();
  const [openSlot, setOpenSlot] = useState<Slot | null>(null);
  const [isDrawn, setDrawn] = useState(false);
  const [copied, setCopied] = useState<WorkflowStep | null>(null);
  const [wantsFocus, setWantsFocus] = useState(0);
  const root = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLElement>(null);
  const selected = stepOf(definition, chosen) ? chosen : null;

  const focusSelected = useEffectEvent(() => focusCard(root.current, selected));
  useEffect(() => {
    if (wantsFocus > 0) focusSelected();
  }, [wantsFocus]);

  const show = (next: History<Definition>, stepId: string | null) => {
    onHistory(next);
    onSelect(stepId);
    setOpenSlot(null);
    setWantsFocus((before) => before + 1);
  };
  const edit = (next: Definition, stepId: string | null = selected) => show(record(history, next), stepId);
  const close = () => {
    setOpenSlot(null);
    setWantsFocus((before) => before + 1);
  };

  const put = (slot: Slot, step: WorkflowStep) => edit(insert(definition, slot, step), step.id);
  const removeSelected = () => {
    if (selected === null || !canRemove(definition, selected)) return;
    const next = remove(definition, selected);
    const gone = definition.steps.length - next.steps.length;
    if (gone > 1) notifications.show({ message: `Deleted ${counted(gone, 'step', 'steps')}. Undo with ⌘Z or Ctrl+Z.` });
    const before = slotsTo(definition, selected)[0]?.from ?? null;
    edit(next, stepOf(next, before) ? before : null);
  };
  const duplicateSelected = () => {
    if (selected === null) return;
    const next = duplicate(definition, selected);
    edit(next, next.steps.find(({ id }) => !stepOf(definition, id))?.id ?? selected);
  };
  const moveSelected = (direction: 'up' | 'down') => {
    if (selected !== null && canMove(definition, selected, direction)) edit(move(definition, selected, direction));
  };
  /** Where a step is inserted after the chosen card: the first of its paths. */
  const slotBelow = (): Slot | null => {
    const step = stepOf(definition, selected);
    return step && pathsOf(step).length === 0 ? null : { from: selected, path: 0 };
  };
  const paste = (step: WorkflowStep, slot = slotBelow()) => {
    if (slot && canInsert(definition, slot, step.type)) put(slot, copyOf(definition, step));
  };

  const editing: Editing = {
    openSlot,
    setOpenSlot: (slot) => (slot === null ? close() : setOpenSlot(slot)),
    choicesAt: (slot) => choicesAt(definition, slot, copied),
    onChoose: (slot, value) => {
      if (value === pasted && copied) paste(copied, slot);
      else if (isStepType(value)) put(slot, newStep(definition, value, { sender: settings?.default_sender, after: slot.from }));
      else {
        const joined = connect(definition, slot, value.slice(toStep.length));
        if (joined) edit(joined);
      }
    },
    onMoveBy: (stepId, places) => edit(moveBy(definition, stepId, places), stepId),
  };

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { key, target } = event;
    const isTyping = target instanceof Element && target.closest('input, textarea, select, [contenteditable="true"]') !== null;
    const isCommand = event.metaKey || event.ctrlKey;
    const act = (action: () => void) => {
      event.preventDefault();
      action();
    };
    if (!isTyping && isCommand && key.toLowerCase() === 'z')
      return act(() => show(event.shiftKey ? redo(history) : undo(history), selected));
    if (!isTyping && isCommand && key.toLowerCase() === 'y') return act(() => show(redo(history), selected));
    if (!isOnCard(root.current)) return;
    if (isCommand && key.toLowerCase() === 'd') return act(duplicateSelected);
    if (event.altKey && key === 'ArrowUp') return act(() => moveSelected('up'));
    if (event.altKey && key === 'ArrowDown') return act(() => moveSelected('down'));
    if (key === '/') return act(() => setOpenSlot(slotBelow()));
    if (key === 'Delete' || key === 'Backspace') return act(removeSelected);
  };

  const onCopy = useEffectEvent((event: ClipboardEvent) => {
    const step = stepOf(definition, selected);
    if (!step || !isOnCard(root.current)) return;
    event.preventDefault();
    event.clipboardData?.setData('text/plain', JSON.stringify(step, null, 2));
    setCopied(step);
  });
  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    const step = isOnCard(root.current) && stepIn(event.clipboardData?.getData('text/plain') ?? '');
    if (!step) return;
    event.preventDefault();
    setCopied(step);
    paste(step);
  });
  useEffect(() => {
    // Browsers send these to where text is selected, not to the card that has the focus.
    const listening = new AbortController();
    document.addEventListener('copy', (event) => onCopy(event), listening);
    document.addEventListener('paste', (event) => onPaste(event), listening);
    return () => listening.abort();
  }, []);

  const open = () => {
    setDrawn(true);
    // The drawer focuses its first field automatically.
    const field = panel.current?.querySelector('input, select, textarea');
    if (field instanceof HTMLElement) field.focus();
  };
  const fields = (
    <StepPanel
      key={selected ?? ''}
      about={about}
      definition={definition}
      stepId={selected}
      problems={isStrict ? (problems.get(selected ?? triggerProblems) ?? []) : []}
      onChange={(next, tag) => onHistory(record(history, next, tag))}
      actions={{ onMove: moveSelected, onDuplicate: duplicateSelected, onRemove: removeSelected }}
    />
  );

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only listens to the keys of the cards and fields within.
    <div ref={root} className={classes.editor} onKeyDown={onKeyDown}>
      <div className={classes.canvas}>
        <Canvas
          label="Canvas"
          isFilling
          definition={definition}
          named={named}
          problems={problems}
          isStrict={isStrict}
          selected={selected}
          onSelect={(stepId, by) => {
            onSelect(stepId);
            if (by === 'pointer') setDrawn(true);
          }}
          onOpen={open}
          editing={editing}
          actions={
            <>
              <ActionIcon
                variant="default"
                aria-label="Undo"
                disabled={history.past.length === 0}
                onClick={() => show(undo(history), selected)}
              >
                <IconArrowBackUp size={16} aria-hidden />
              </ActionIcon>
              <ActionIcon
                variant="default"
                aria-label="Redo"
                disabled={history.future.length === 0}
                onClick={() => show(redo(history), selected)}
              >
                <IconArrowForwardUp size={16} aria-hidden />
              </ActionIcon>
            </>
          }
        />
      </div>
      {isNarrow ? (
        <Drawer
          opened={isDrawn}
          onClose={() => {
            setDrawn(false);
            setWantsFocus((before) => before + 1);
          }}
          position="right"
          size="min(420px, 100%)"
          title="Settings"
          closeButtonProps={{ 'aria-label': 'Close settings' }}
          // Below the dialogs in which an email and a segment are written, whose Escape is their own.
          zIndex={getDefaultZIndex('modal') - 1}
          closeOnEscape={!dialogs.some(({ isOpen }) => isOpen)}
          returnFocus={false}
        >
          {fields}
        </Drawer>
      ) : (
        <section
          ref={panel}
          className={classes.panel}
          aria-label="Settings"
          onKeyDown={(event) => {
            if (event.key === 'Escape' && !event.defaultPrevented) focusCard(root.current, selected);
            // Enter in a field would save the whole workflow.
            if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault();
          }}
        >
          {fields}
        </section>
      )}
      <p className={classes.keys}>
        <kbd>↑</kbd> <kbd>↓</kbd> select, <kbd>/</kbd> insert, <kbd>Enter</kbd> edit, <kbd>Alt</kbd> <kbd>↑</kbd> <kbd>↓</kbd> move,{' '}
        <kbd>Delete</kbd> remove, <kbd>Ctrl</kbd> <kbd>Z</kbd> undo
      </p>
    </div>
  );
}

const isOnCard = (root: Element | null) =>
  root?.contains(document.activeElement) === true && document.activeElement?.matches('[data-card]') === true;

/** A step that was copied as JSON. */
function stepIn(text: string): WorkflowStep | undefined {
  const read = readDefinition(`{"trigger":{"type":"manual"},"steps":[${text}]}`);
  return 'definition' in read ? read.definition.steps[0] : undefined;
}

function choicesAt(definition: Definition, slot: Slot, copied: WorkflowStep | null): InsertChoice[] {
  const types = stepTypes
    .filter((type) => canInsert(definition, slot, type))
    .map((type): InsertChoice => ({ value: type, ...stepKinds[type] }));
  const targets = definition.steps
    .filter(({ id }) => connect(definition, slot, id) !== undefined)
    .map(
      (step): InsertChoice => ({
        value: toStep + step.id,
        name: `Continue at “${stepName(step)}”`,
        means: 'A step of this workflow',
        group: 'Existing steps',
        icon: IconArrowRight,
      }),
    );
  const paste: InsertChoice[] =
    copied && canInsert(definition, slot, copied.type)
      ? [
          {
            value: pasted,
            name: `Paste “${stepName(copied)}”`,
            means: 'A copy of the copied step',
            group: 'Clipboard',
            icon: IconClipboard,
          },
        ]
      : [];
  return [...paste, ...types, ...targets];
}
