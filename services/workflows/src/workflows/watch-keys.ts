import type { Definition } from './definition.ts';
import { type Occurrence, watchKey } from './occurrence.ts';

export const isOfMessage = ({ type }: Occurrence) => type === 'message_opened' || type === 'message_clicked';

export const stepAt = ({ steps }: Definition, run: { step: string | null }) => steps.find(({ id }) => id === run.step);

export const goalsOf = ({ steps }: Definition) => steps.filter((step) => step.type === 'goal');

/** What a run watches for from its start to its end. */
export const wholeRunWatches = (definition: Definition): string[] =>
  [...definition.exit_when, ...goalsOf(definition).flatMap(({ any }) => any), ...awaitedMessages(definition)].map(watchKey);

/** Opens and clicks count whenever they happen, so a run records them until it reaches the step that waits for them. */
export const awaitedMessages = ({ steps }: Definition): Occurrence[] =>
  steps.flatMap((step) => (step.type === 'wait_until' ? step.any.filter(isOfMessage) : []));

/** What a run watches for while it is at its step. */
export function stepWatches(definition: Definition, run: { step: string | null }): string[] {
  const step = stepAt(definition, run);
  return step?.type === 'wait_until' ? step.any.map(watchKey) : [];
}

/** What can happen to a run of this definition, at any step. */
export const allWatches = (definition: Definition): string[] => [
  ...new Set([
    ...wholeRunWatches(definition),
    ...definition.steps.flatMap((step) => (step.type === 'wait_until' ? step.any.map(watchKey) : [])),
  ]),
];
