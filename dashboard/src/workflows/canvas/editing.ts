import type { Slot } from '../edits/graph.ts';
import type { InsertChoice } from './insert-menu.tsx';

/** What the canvas can do besides showing. */
export type Editing = {
  /** The slot whose menu is open. */
  openSlot: Slot | null;
  setOpenSlot: (slot: Slot | null) => void;
  choicesAt: (slot: Slot) => readonly InsertChoice[];
  onChoose: (slot: Slot, value: string) => void;
  onMoveBy: (stepId: string, places: number) => void;
};
