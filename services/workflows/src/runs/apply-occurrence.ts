import { windowMs } from '@mp/rules/duration';
import { compileRule } from '@mp/rules/rule-predicate';
import { eventWhereHolds } from '@mp/rules/where';
import type { Definition } from '../workflows/definition.ts';
import { type Occurrence, stateOf } from '../workflows/occurrence.ts';
import type { Step } from '../workflows/step.ts';
import { awaitedMessages, goalsOf, isOfMessage, stepAt } from '../workflows/watch-keys.ts';
import type { Input, Occurred, Run } from './run.ts';
import { maxLateMs } from './run-watches.ts';
import { continuing, entry, nothing, type Transition } from './transition.ts';

/** A change of membership has the time at which segments wrote it, which can be later than its cause. It counts while the run still waits. */
const latenessOf = ({ type }: Occurred) => (type === 'segment_entered' || type === 'segment_left' ? maxLateMs : 0);

/** A goal ends the run as converted; otherwise an exit condition ends it; otherwise its `wait_until` step continues. */
export function applyOccurrence(definition: Definition, run: Run, { occurred, at }: Input & { type: 'occurred' }, now: Date): Transition {
  const time = Date.parse(at);
  const began = Date.parse(run.began);
  const happens = (any: readonly Occurrence[], since: number) =>
    any.find((one) => matches(one, occurred, run, now) && (stateOf(one) || isOfMessage(one) || time >= since));
  const step = stepAt(definition, run);
  const lateness = (of: Step) => (of === step && run.waiting?.for === 'event' ? latenessOf(occurred) : 0);
  const goal = goalsOf(definition).find((one) => happens(one.any, began) && time <= began + windowMs(one.within) + lateness(one));
  if (goal) return { kind: 'convert', goal: goal.id, at, log: [entry(goal.id, 'done', 'The goal was reached.')] };
  if (happens(definition.exit_when, began)) return { kind: 'end', state: 'exited', reason: 'exit_condition' };
  const { waiting } = run;
  if (step?.type === 'wait_until' && (waiting?.for === 'event' || waiting?.for === 'answer')) {
    const happened = happens(step.any, Date.parse(run.reached));
    if (happened && (waiting.until === undefined || time <= Date.parse(waiting.until) + lateness(step))) return happenedAt(step, happened);
  }
  return noted(definition, run, occurred);
}

/** Records an open or click that a later step may wait for. */
function noted(definition: Definition, run: Run, occurred: Occurred): Transition {
  if (!('effect_key' in occurred) || !occurred.effect_key.startsWith(`${run.id}:`)) return nothing;
  const engaged = engagedKey(occurred.type, occurred.effect_key);
  const isAwaited = awaitedMessages(definition).some(({ type }) => type === occurred.type);
  return isAwaited && !run.engaged.includes(engaged) ? { kind: 'note', engaged } : nothing;
}

const engagedKey = (type: string, key: string) => `${type} ${key}`;

/** What a `wait_until` step waits for that the run has recorded already. */
export const alreadyEngaged = ({ any }: Step & { type: 'wait_until' }, { engaged, sent }: Pick<Run, 'engaged' | 'sent'>) =>
  any.find((one) => {
    if (one.type !== 'message_opened' && one.type !== 'message_clicked') return false;
    const key = one.step_id === undefined ? undefined : sent[one.step_id];
    return engaged.some((seen) => (one.step_id === undefined ? seen.startsWith(`${one.type} `) : seen === engagedKey(one.type, key ?? '')));
  });

/** Continues after a `wait_until` step because this happened. */
export function happenedAt(step: Step & { type: 'wait_until' }, occurrence: Occurrence): Transition & { kind: 'enter' } {
  const next = step.next ?? null;
  return { kind: 'enter', step: next, log: [entry(step.id, 'taken', `${describe(occurrence)}; ${continuing(next)}.`)] };
}

function describe(occurrence: Occurrence): string {
  switch (occurrence.type) {
    case 'event':
      return `The event ${occurrence.name} happened`;
    case 'segment_entered':
      return `The contact is in ${occurrence.segment_id}`;
    case 'segment_left':
      return `The contact is not in ${occurrence.segment_id}`;
    case 'field':
      return 'The contact matches the rule';
    case 'unsubscribed':
      return 'The contact unsubscribed';
    case 'message_opened':
      return 'The email was opened';
    case 'message_clicked':
      return 'A link in the email was clicked';
    case 'form_submitted':
      return 'The form was submitted';
    case 'form_confirmed':
      return 'The form was confirmed';
  }
}

function matches(occurrence: Occurrence, occurred: Occurred, run: Run, now: Date): boolean {
  switch (occurrence.type) {
    case 'event':
      return occurred.type === 'event' && occurred.name === occurrence.name && eventWhereHolds(occurrence.where ?? {})(occurred);
    case 'segment_entered':
    case 'segment_left':
      return occurred.type === occurrence.type && occurred.segment_id === occurrence.segment_id;
    case 'message_opened':
    case 'message_clicked':
      return (
        occurred.type === occurrence.type &&
        occurred.effect_key.startsWith(`${run.id}:`) &&
        (occurrence.step_id === undefined || run.sent[occurrence.step_id] === occurred.effect_key)
      );
    case 'form_submitted':
    case 'form_confirmed':
      return occurred.type === occurrence.type && (occurrence.form_id === undefined || occurrence.form_id === occurred.form_id);
    default: {
      const rule = stateOf(occurrence);
      if (occurred.type !== 'contact' || !rule) return false;
      return compileRule(rule).matches({ contact: occurred.contact, activities: () => [], segments: new Set() }, now).matches;
    }
  }
}
