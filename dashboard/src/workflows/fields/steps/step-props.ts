import type { Definition } from '../../definition.ts';
import { change } from '../../edits/step-edits.ts';
import type { WorkflowStep } from '../../workflows.ts';
import type { Fault } from '../fault.ts';

export type StepOf<Type extends WorkflowStep['type']> = Extract<WorkflowStep, { type: Type }>;

type Editing = {
  definition: Definition;
  /** Edits with the same tag are undone together. */
  onChange: (definition: Definition, tag: string | null) => void;
  fault: Fault;
};

/** What the fields of a step get. */
export type StepProps<Type extends WorkflowStep['type'] = WorkflowStep['type']> = Editing & { step: StepOf<Type> };

/** Replaces the step; typing in one field is undone together. */
export const useSet =
  ({ step, definition, onChange }: Editing & { step: WorkflowStep }) =>
  (next: WorkflowStep, field: string | null) =>
    onChange(change(definition, next), field === null ? null : `${step.id}/${field}`);
