import type { Condition } from './rule-labels.ts';
import { areComplete, filtersOf, rowsIn, type WhereRow } from './where.ts';

/** A sequence in the builder: events in order, then the events that must not follow. */
export type SequenceDraft = { kind: 'sequence'; id: string; events: StepDraft[]; absent: StepDraft[]; within: string; window: string };
export type StepDraft = { event: string; where: WhereRow[] };

export const minSteps = 2;
export const maxSteps = 10;

export const newStep = (): StepDraft => ({ event: '', where: [] });

export const newSequence = (id: string): SequenceDraft => ({
  kind: 'sequence',
  id,
  events: [newStep(), newStep()],
  absent: [],
  within: 'P7D',
  window: 'P30D',
});

export function sequenceDraft({ sequence, within, in_last }: Extract<Condition, { sequence: unknown }>, id: string): SequenceDraft {
  return {
    kind: 'sequence',
    id,
    events: sequence.flatMap((step) => ('event' in step ? [{ event: step.event, where: rowsIn(step.where) }] : [])),
    absent: sequence.flatMap((step) => ('not_event' in step ? [{ event: step.not_event, where: rowsIn(step.where) }] : [])),
    within,
    window: in_last ?? '',
  };
}

/** The condition from a draft; the API validates it. */
export const sequenceOf = ({ events, absent, within, window }: SequenceDraft): unknown => ({
  sequence: [
    ...events.map(({ event, where }) => ({ event, ...filtersOf(where) })),
    ...absent.map(({ event, where }) => ({ not_event: event, ...filtersOf(where) })),
  ],
  within,
  ...(window && { in_last: window }),
});

export const isSequenceComplete = ({ events, absent, within }: SequenceDraft) =>
  within.trim() !== '' && [...events, ...absent].every(({ event, where }) => event.trim() !== '' && areComplete(where));

/** The list with one item at another position. */
export const moved = <Item>(items: readonly Item[], from: number, to: number): Item[] =>
  items.toSpliced(from, 1).toSpliced(to, 0, ...items.slice(from, from + 1));
