import { windowMs } from '@mp/rules/duration';
import type { Definition } from '../workflows/definition.ts';
import { FilledTooLarge } from '../workflows/placeholders.ts';
import { nextOf, type Step } from '../workflows/step.ts';
import { alreadyEngaged, happenedAt } from './apply-occurrence.ts';
import { dataBranch, effectOf, needsContact } from './effect-of.ts';
import { requestText } from './request-text.ts';
import type { Advanced, Effect, LogEntry, Run, RunState, Waiting } from './run.ts';
import { splitPath } from './split-path.ts';
import { tooLarge, waitingForEffect } from './take-contact-step.ts';
import { after, continuing, entry } from './transition.ts';
import { wakeAtOf } from './wake-at.ts';

type Walked = Advanced & { visited: string[] };

/**
 * Enters steps until one must wait or the run ends; `visited` are these steps in order. The bound is never reached: definitions with
 * loops that do not wait are rejected.
 */
export function walk(definition: Definition, run: Run, { first, log, now }: { first: string | null; log: LogEntry[]; now: Date }): Walked {
  const key = `${run.id}:${run.sequence}`;
  const visited: string[] = [];
  let id = first;
  for (let entered = 0; id !== null && entered <= definition.steps.length; entered += 1) {
    const step = stepOf(definition, id);
    if (!step) break;
    visited.push(id);
    if (step.type === 'exit') {
      const at = { ...run, step: id };
      return { ...ended(at, 'exited', step.reason ?? 'exit_step', log), visited };
    }
    const taken = withoutTooLarge(() => requested(definition, run, { step, key, now }));
    if (taken === 'too_large') {
      log.push(entry(id, 'skipped', tooLarge, key));
      if (definition.on_error === 'exit') return { ...ended({ ...run, step: id }, 'failed', tooLarge, log), visited };
      id = nextOf(step);
      continue;
    }
    if (taken) {
      const { waiting, effects } = taken;
      const there: Run = { ...run, state: 'waiting', reason: null, step: id, waiting };
      return { ...done(sending(there, effects), effects, [...log, ...entriesFor(step, run, taken, { key, now })]), visited };
    }
    const passed = passing(step, run);
    log.push(...passed.log);
    id = passed.to;
  }
  if (id !== null) return { ...ended({ ...run, step: id }, 'failed', 'step_missing', log), visited };
  return { ...ended({ ...run, step: null }, 'completed', null, log), visited };
}

function withoutTooLarge<Result>(work: () => Result): Result | 'too_large' {
  try {
    return work();
  } catch (error) {
    if (error instanceof FilledTooLarge) return 'too_large';
    throw error;
  }
}

type Requested = { waiting: Waiting; effects: Effect[] };

/** What the run waits for after entering the step, and what it requests; undefined when the step completes immediately. */
function requested(definition: Definition, run: Run, { step, key, now }: { step: Step; key: string; now: Date }): Requested | undefined {
  const at = now.toISOString();
  const waiting = { for: 'answer', key, since: at, at, asked: 0 } as const;
  if (needsContact(definition, step)) return { waiting, effects: [{ type: 'look_up', key }] };
  const effects = effectOf(step, { key, run });
  switch (step.type) {
    case 'delay': {
      const until = step.for === undefined ? new Date(step.until ?? now) : new Date(now.getTime() + windowMs(step.for));
      return until > now ? { waiting: { for: 'time', until: until.toISOString() }, effects } : undefined;
    }
    case 'split':
      return undefined;
    case 'goal': {
      // Also after the window: what happened in it may not have been applied yet.
      return { waiting: { for: 'event', key, until: after(new Date(run.began), windowMs(step.within)) }, effects };
    }
    case 'wait_until': {
      if (alreadyEngaged(step, run)) return undefined;
      const until = after(now, windowMs(step.timeout));
      return { waiting: effects.length > 0 ? { ...waiting, until } : { for: 'event', key, until }, effects };
    }
    case 'branch':
      return effects.length > 0 ? { waiting, effects } : undefined;
    case 'start_workflow':
    case 'track_event':
    case 'add_to_segment':
    case 'remove_from_segment':
      return { waiting, effects };
    case 'webhook':
      return { waiting: { for: 'webhook', key, at, attempts: 0, host: URL.parse(step.url)?.host ?? '' }, effects };
    default:
      return { waiting: waitingForEffect(effects, key, now), effects };
  }
}

/** What happens at a step that completes immediately. */
function passing(step: Step, run: Run): Taken {
  if (step.type === 'split') {
    const { index, to } = splitPath(step, run);
    return { to, log: [entry(step.id, 'taken', `Path ${index + 1} of ${step.paths.length}; ${continuing(to)}.`)] };
  }
  const engaged = step.type === 'wait_until' ? alreadyEngaged(step, run) : undefined;
  if (step.type === 'wait_until' && engaged) {
    const { step: to, log } = happenedAt(step, engaged);
    return { to, log };
  }
  if (step.type === 'branch') return takenBranch(step, dataBranch(step, run));
  return { to: nextOf(step), log: [entry(step.id, 'done', 'The time has already passed.')] };
}

function entriesFor(step: Step, run: Run, { waiting, effects }: Requested, { key, now }: { key: string; now: Date }): LogEntry[] {
  if (waiting.for === 'time' || waiting.for === 'event') {
    return new Date(waiting.until) > now ? [entry(step.id, 'waiting', waitingText(step, waiting.until))] : [];
  }
  if (step.type === 'branch' || step.type === 'wait_until') return [entry(step.id, 'waiting', 'Evaluating the rules.', key)];
  return effects.some(({ type }) => type === 'look_up') ? [] : [entry(step.id, 'requested', requestText(step, run), key)];
}

const waitingText = (step: Step, until: string) => `Waiting until ${until}${step.type === 'delay' ? '' : ' at the latest'}.`;

type Taken = { log: LogEntry[]; to: string | null };

/** The branch at this index; `else` for -1. */
export function takenBranch(step: Step & { type: 'branch' }, index: number): Taken {
  const branch = step.branches[index];
  const to = branch ? branch.to : (step.else ?? null);
  const why = branch ? `Rule ${index + 1} of ${step.branches.length} matches` : 'No rule matches';
  return { to, log: [entry(step.id, 'taken', `${why}; ${continuing(to)}.`)] };
}

/** Records the key of an email that the current step requests. */
export function sending(run: Run, effects: readonly Effect[]): Run {
  const email = effects.find(({ type }) => type === 'send');
  return email && run.step !== null ? { ...run, sent: { ...run.sent, [run.step]: email.key } } : run;
}

export const done = (run: Run, effects: Effect[], log: LogEntry[]): Advanced => ({
  run,
  effects,
  wakeAt: wakeAtOf(run),
  log,
  passages: [],
});

export function ended(run: Run, state: Exclude<RunState, 'active' | 'waiting'>, reason: string | null, log: LogEntry[]): Advanced {
  const detail = reason === null ? `Run ${state}.` : `Run ${state}: ${reason}`;
  return done({ ...run, state, reason, waiting: null }, [], [...log, entry(run.step, 'ended', detail)]);
}

export const stepOf = ({ steps }: Definition, id: string | null) => steps.find((step) => step.id === id);
