import { z } from 'zod';
import {
  AddTag,
  AddToSegment,
  Notify,
  RemoveFromSegment,
  RemoveTag,
  Send,
  StartWorkflow,
  TrackEvent,
  UpdateContact,
  Webhook,
} from './action-steps.ts';
import { Branch, Delay, Exit, Goal, Split, WaitUntil } from './flow-steps.ts';

export const Step = z
  .discriminatedUnion('type', [
    Delay,
    WaitUntil,
    Branch,
    Split,
    Goal,
    Send,
    UpdateContact,
    AddTag,
    RemoveTag,
    AddToSegment,
    RemoveFromSegment,
    Webhook,
    StartWorkflow,
    TrackEvent,
    Notify,
    Exit,
  ])
  .meta({ id: 'WorkflowStep' });
export type Step = z.output<typeof Step>;

/** The steps that may follow this one. */
export const targetsOf = (step: Step): string[] => targetFieldsOf(step).map(({ to }) => to);

/** The fields of a step that name the next one, with their values. */
export function targetFieldsOf(step: Step): { field: readonly (string | number)[]; to: string }[] {
  switch (step.type) {
    case 'exit':
      return [];
    case 'branch':
      return present([...step.branches.map(({ to }, index) => [['branches', index, 'to'], to] as const), [['else'], step.else]]);
    case 'split':
      return present(step.paths.map(({ to }, index) => [['paths', index, 'to'], to] as const));
    case 'wait_until':
      return present([
        [['next'], step.next],
        [['on_timeout'], step.on_timeout],
      ]);
    default:
      return present([[['next'], step.next]]);
  }
}

const present = (targets: readonly (readonly [field: readonly (string | number)[], to: string | null | undefined])[]) =>
  targets.flatMap(([field, to]) => (to === null || to === undefined ? [] : [{ field, to }]));

/** Whether a run stays at the step for a while each time, so that a loop through it is slow. */
export const isLasting = (step: Step) => step.type === 'delay' && (step.for !== undefined || step.until_local !== undefined);

/** The default next step. */
export function nextOf(step: Step): string | null {
  if (step.type === 'branch') return step.else ?? null;
  if (step.type === 'split') return step.paths[0]?.to ?? null;
  return 'next' in step ? (step.next ?? null) : null;
}
