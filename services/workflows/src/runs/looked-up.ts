import type { Definition } from '../workflows/definition.ts';
import { dateInstant, fieldOf, nextLocalTime, quietUntil, zoneOf } from '../workflows/local-time.ts';
import { nextOf, type Step } from '../workflows/step.ts';
import { effectOf } from './effect-of.ts';
import { requestText } from './enter-steps.ts';
import type { Input, Run, Waiting } from './run.ts';
import { entry, nothing, type Verdict } from './verdict.ts';

/** Whether the contact must be looked up before the step can be taken. */
export function needsContact({ quiet_hours }: Pick<Definition, 'quiet_hours'>, step: Step): boolean {
  if (step.type === 'delay') return step.until_local !== undefined || step.until_date !== undefined;
  return step.type === 'send' && quiet_hours !== null;
}

/** Takes a step that depends on the current contact. A contact that no longer exists is like one without any field. */
export function lookedUp(definition: Definition, run: Run, step: Step, input: Input & { type: 'looked_up' }, now: Date): Verdict {
  const { contact } = input;
  const waitUntil = (until: Date, why: string): Verdict => ({
    kind: 'wait',
    waiting: { for: 'time', until: until.toISOString() },
    log: [entry(step.id, 'waiting', `${why} until ${until.toISOString()}.`)],
  });
  if (step.type === 'delay') {
    const until = delayedUntil(step, contact, now);
    if (until && until > now) return waitUntil(until, 'Waiting');
    const why = until ? 'The time has already passed.' : 'The contact has no such date.';
    return { kind: 'enter', step: nextOf(step), log: [entry(step.id, 'done', why)] };
  }
  const { quiet_hours } = definition;
  if (step.type !== 'send' || !quiet_hours) return nothing;
  const quiet = quietUntil(now, quiet_hours, zoneOf(contact?.timezone, quiet_hours.timezone));
  if (quiet) return waitUntil(quiet, 'Quiet hours: waiting');
  const key = `${run.id}:${run.sequence + 1}`;
  const waiting: Waiting = { for: 'effect', key, since: now.toISOString(), asked: 1 };
  return { kind: 'wait', waiting, effects: effectOf(step, key, waiting), log: [entry(step.id, 'requested', requestText(step), key)] };
}

function delayedUntil(step: Step & { type: 'delay' }, contact: (Input & { type: 'looked_up' })['contact'], now: Date): Date | undefined {
  const { until_local: local, until_date: date } = step;
  if (local) return nextLocalTime(now, local, zoneOf(contact?.timezone, local.timezone));
  if (!date || !contact) return undefined;
  return dateInstant(fieldOf(contact, date.field), date, zoneOf(contact.timezone, date.timezone));
}
