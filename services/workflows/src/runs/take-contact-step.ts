import { zoneOf } from '@mp/rules/calendar';
import { quietUntil } from '@mp/rules/quiet-hours';
import type { Definition } from '../workflows/definition.ts';
import { dateInstant, fieldOf, nextLocalTime } from '../workflows/local-time.ts';
import { FilledTooLarge } from '../workflows/placeholders.ts';
import { nextOf, type Step } from '../workflows/step.ts';
import { effectOf } from './effect-of.ts';
import { requestText } from './request-text.ts';
import type { Effect, HeldBy, Input, Run, Waiting } from './run.ts';
import { entry, failure, nothing, type Transition } from './transition.ts';

/** Takes a step that depends on the current contact. A contact that no longer exists is like one without any field. */
export function takeContactStep(
  definition: Definition,
  run: Run,
  { step, input, now }: { step: Step; input: Input & { type: 'looked_up' }; now: Date },
): Transition {
  const { contact } = input;
  const waitUntil = (until: Date, why: string, held?: HeldBy): Transition => ({
    kind: 'wait',
    waiting: { for: 'time', until: until.toISOString(), ...(held && { held }) },
    log: [entry(step.id, 'waiting', `${why} until ${until.toISOString()}.`)],
  });
  if (step.type === 'delay') {
    const until = delayedUntil(step, contact, now);
    if (until && until > now) return waitUntil(until, 'Waiting');
    const why = until ? 'The time has already passed.' : 'The contact has no such date.';
    return { kind: 'enter', step: nextOf(step), log: [entry(step.id, 'done', why)] };
  }
  const { quiet_hours } = definition;
  if (step.type !== 'update_contact' && step.type !== 'notify' && step.type !== 'send') return nothing;
  const quiet = step.type === 'send' && step.category !== 'transactional' && quiet_hours && quietUntil(quiet_hours, contact?.timezone, now);
  if (quiet) return waitUntil(quiet, 'Quiet hours: waiting', 'quiet_hours');
  const key = `${run.id}:${run.sequence + 1}`;
  try {
    const effects = effectOf(step, { key, run, contact });
    const waiting = waitingForEffect(effects, key, now);
    return { kind: 'wait', waiting, effects, log: [entry(step.id, 'requested', requestText(step, run), key)] };
  } catch (error) {
    if (error instanceof FilledTooLarge) return failure(definition, step, tooLarge, key);
    throw error;
  }
}

export const tooLarge = 'The filled fields are larger than 64 KiB.';

/** Waits for the result of an effect. Rendered fields and the variant are kept, so that a repeated request is the same. */
export function waitingForEffect([effect]: readonly Effect[], key: string, now: Date): Waiting {
  const set = effect && filledIn(effect);
  const variant = effect?.type === 'send' ? effect.variant : undefined;
  return { for: 'effect', key, since: now.toISOString(), asked: 1, ...(set && { set }), ...(variant !== undefined && { variant }) };
}

function filledIn(effect: Effect): Record<string, unknown> | undefined {
  if (effect.type === 'notify') return { subject: effect.notification.subject, text: effect.notification.text };
  return effect.type === 'contact' && effect.change.type === 'update_contact' ? effect.change.members : undefined;
}

function delayedUntil(step: Step & { type: 'delay' }, contact: (Input & { type: 'looked_up' })['contact'], now: Date): Date | undefined {
  const { until_local: local, until_date: date } = step;
  if (local) return nextLocalTime(now, local, zoneOf(contact?.timezone, local.timezone));
  if (!date || !contact) return undefined;
  return dateInstant(fieldOf(contact, date.field), date, zoneOf(contact.timezone, date.timezone));
}
