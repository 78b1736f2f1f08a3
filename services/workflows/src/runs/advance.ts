import { windowMs } from '@mp/rules/duration';
import type { Definition } from '../workflows/definition.ts';
import type { Step } from '../workflows/step.ts';
import { effectOf } from './effect-of.ts';
import { type Advanced, type Effect, type Input, isOpen, type LogEntry, type Run, type Waiting, type WebhookOutcome } from './run.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** When an effect without a reply is requested again, counted from the first request. After the last one the step fails. */
const repeatsMs = [10 * minuteMs, hourMs, 6 * hourMs, 24 * hourMs];

/** How long a branch waits for segments to apply the events that started its run. */
const evaluationTimeoutMs = 24 * hourMs;

const noReply = 'No reply within a day.';
const notApplied = 'The rules could not be evaluated on current data within a day.';

const webhookAttempts = 4;

/** After a delay this long, a run is no longer part of the chain of effects that started it. */
const chainRestMs = hourMs;

type Verdict =
  | { kind: 'nothing' }
  | { kind: 'wait'; waiting: Waiting; effects?: Effect[]; log?: LogEntry[] }
  | { kind: 'enter'; step: string | null; log: LogEntry[] }
  | { kind: 'stay'; contactId: string; log: LogEntry[] }
  | { kind: 'end'; state: 'exited' | 'failed' | 'cancelled'; reason: string; log?: LogEntry[] };

const nothing: Verdict = { kind: 'nothing' };

/**
 * Decides everything about a run: given an input, its next state, the effects to request and when to wake it. It is a pure
 * function without clock, I/O or randomness, so the live engine, the simulation and the replay of a recorded run cannot
 * differ.
 *
 * An input that does not apply, such as a reply that arrives twice, returns the same run object. A change raises
 * `sequence` by one and requests at most one effect, whose key is `run:sequence`.
 */
export function advance(definition: Definition, before: Run, input: Input, now: Date): Advanced {
  const verdict = decide(definition, before, input, now);
  if (verdict.kind === 'nothing') return { run: before, effects: [], wakeAt: wakeAtOf(before), log: [] };

  const sequence = before.sequence + 1;
  const run: Run = {
    ...before,
    sequence,
    revision: revisionAfter(before, input),
    ...(input.type === 'answered' && { after: [] }),
    chain: chainAfter(definition, before, input),
  };
  switch (verdict.kind) {
    case 'wait':
      return done({ ...run, waiting: verdict.waiting }, verdict.effects ?? [], verdict.log ?? []);
    case 'stay':
      return done({ ...run, contact_id: verdict.contactId }, [], verdict.log);
    case 'end':
      return ended(run, verdict.state, verdict.reason, verdict.log ?? []);
    case 'enter':
      if (verdict.step !== null && 'hold' in input && input.hold) {
        return done({ ...run, state: 'active', step: verdict.step, waiting: null }, [], verdict.log);
      }
      return walk(definition, run, verdict.step, verdict.log, now);
  }
}

/** When an open run must be processed even if no reply arrives; null when only a reply can advance it. */
export function wakeAtOf({ waiting, ...run }: Run): Date | null {
  if (!isOpen(run) || waiting === null) return null;
  switch (waiting.for) {
    case 'time':
      return new Date(waiting.until);
    case 'effect':
      return new Date(Date.parse(waiting.since) + (repeatsMs[waiting.asked - 1] ?? 0));
    default:
      return new Date(waiting.at);
  }
}

function decide(definition: Definition, run: Run, input: Input, now: Date): Verdict {
  if (input.type === 'retry') {
    return run.state === 'failed' ? { kind: 'enter', step: run.step, log: [entry(run.step, 'retried', 'Retried.')] } : nothing;
  }
  if (!isOpen(run)) return nothing;
  if (input.type === 'cancel') return { kind: 'end', state: 'cancelled', reason: 'cancelled' };
  if (input.type === 'exit') return { kind: 'end', state: 'exited', reason: input.reason };
  if (input.type === 'moved_contact') return { kind: 'stay', contactId: input.to, log: [entry(null, 'moved', input.why)] };
  const { waiting } = run;
  if (waiting === null) {
    const log = run.sequence === 0 ? [entry(null, 'started', 'Run started.')] : [];
    return input.type === 'wake' ? { kind: 'enter', step: run.step, log } : nothing;
  }
  const step = stepOf(definition, run.step);
  if (!step) return { kind: 'end', state: 'failed', reason: 'step_missing' };
  if (input.type === 'wake') return awake(definition, step, waiting, now);
  if (waiting.for === 'time' || waiting.key !== input.key) return nothing;
  switch (input.type) {
    case 'effect_completed':
      if (input.status === 'refused' && input.fault) return fault(step, input.reason ?? 'failed', waiting.key);
      if (input.status === 'refused') return failure(definition, step, input.reason ?? 'refused', waiting.key);
      return { kind: 'enter', step: nextOf(step), log: [entry(step.id, 'done', 'Done.', waiting.key)] };
    case 'answered':
      return step.type === 'branch' ? taken(step, input.taken) : nothing;
    case 'unanswered':
      return waiting.for === 'answer' ? retryLater(step, waiting, now) : nothing;
    case 'webhook_answered':
      return waiting.for === 'webhook' ? called(definition, step, waiting, input.outcome, now) : nothing;
  }
}

function awake(definition: Definition, step: Step, waiting: Waiting, now: Date): Verdict {
  if (waiting.for === 'time') {
    if (Date.parse(waiting.until) > now.getTime()) return nothing;
    return { kind: 'enter', step: nextOf(step), log: [entry(step.id, 'done', 'Delay ended.')] };
  }
  if (waiting.for !== 'effect') return nothing;
  const repeatAt = Date.parse(waiting.since) + (repeatsMs[waiting.asked - 1] ?? 0);
  if (repeatAt > now.getTime()) return nothing;
  if (waiting.asked >= repeatsMs.length) return failure(definition, step, noReply, waiting.key);
  const asked = waiting.asked + 1;
  return {
    kind: 'wait',
    waiting: { ...waiting, asked },
    effects: effectOf(step, waiting.key),
    log: [entry(step.id, 'repeated', `No reply yet; retrying (attempt ${asked} of ${repeatsMs.length}).`, waiting.key)],
  };
}

function taken(step: Step & { type: 'branch' }, index: number | null): Verdict {
  const branch = index === null ? undefined : step.branches[index];
  const to = branch ? branch.to : (step.else ?? null);
  const why = branch ? `Rule ${(index ?? 0) + 1} of ${step.branches.length} matches` : 'No rule matches';
  return {
    kind: 'enter',
    step: to,
    log: [entry(step.id, 'taken', to === null ? `${why}; the run ends.` : `${why}; continuing with ${to}.`)],
  };
}

/**
 * Retries with a pause that doubles from one second to one minute, for a day. Then the run fails, whatever `on_error`
 * says, rather than take a path that may be wrong. A manual retry evaluates the branch again.
 */
function retryLater(step: Step, waiting: Waiting & { for: 'answer' }, now: Date): Verdict {
  const { since = now.toISOString() } = waiting;
  if (now.getTime() - Date.parse(since) >= evaluationTimeoutMs) return fault(step, notApplied, waiting.key);
  const later = Math.min(minuteMs, 1_000 * 2 ** Math.min(waiting.asked, 6));
  const first = waiting.asked === 0;
  return {
    kind: 'wait',
    waiting: { ...waiting, since, asked: waiting.asked + 1, at: after(now, later) },
    log: first ? [entry(step.id, 'waiting', 'The rules cannot be evaluated on current data yet; retrying.')] : [],
  };
}

function called(definition: Definition, step: Step, waiting: Waiting & { for: 'webhook' }, outcome: WebhookOutcome, now: Date): Verdict {
  const { key } = waiting;
  if (outcome.ok) return { kind: 'enter', step: nextOf(step), log: [entry(step.id, 'done', outcome.detail, key)] };
  const attempts = waiting.attempts + 1;
  if (!outcome.retry || attempts >= webhookAttempts) return failure(definition, step, outcome.detail, key);
  const at = after(now, 10_000 * 6 ** (attempts - 1));
  return {
    kind: 'wait',
    waiting: { ...waiting, attempts, at },
    log: [entry(step.id, 'repeated', `${outcome.detail} Attempt ${attempts + 1} of ${webhookAttempts} at ${at}.`, key)],
  };
}

/** Fails the run until a user fixes the cause and retries it, whatever `on_error` says. */
const fault = (step: Step, reason: string, key: string): Verdict => ({
  kind: 'end',
  state: 'failed',
  reason,
  log: [entry(step.id, 'skipped', reason, key)],
});

/** Skips a step that failed, or fails the run if `on_error` is `exit`. */
function failure(definition: Definition, step: Step, reason: string, key: string): Verdict {
  const log = [entry(step.id, 'skipped', reason, key)];
  if (definition.on_error === 'exit') return { kind: 'end', state: 'failed', reason, log };
  return { kind: 'enter', step: nextOf(step), log };
}

/** Enters steps until one must wait or the run ends. The bound is never reached: definitions with loops that do not wait are rejected. */
function walk(definition: Definition, run: Run, first: string | null, log: LogEntry[], now: Date): Advanced {
  const key = `${run.id}:${run.sequence}`;
  let id = first;
  for (let entered = 0; id !== null && entered <= definition.steps.length; entered += 1) {
    const step = stepOf(definition, id);
    if (!step) break;
    if (step.type === 'exit') {
      const at = { ...run, step: id };
      return ended(at, 'exited', step.reason ?? 'exit_step', log);
    }
    const waiting = waitingFor(step, key, now);
    if (waiting) {
      const there: Run = { ...run, state: 'waiting', reason: null, step: id, waiting };
      return done(there, effectOf(step, key), [...log, entry(id, ...describeEntry(step, waiting), waiting.for === 'time' ? null : key)]);
    }
    log.push(entry(id, 'done', 'The time has already passed.'));
    id = nextOf(step);
  }
  if (id !== null) return ended({ ...run, step: id }, 'failed', 'step_missing', log);
  return ended({ ...run, step: null }, 'completed', null, log);
}

/** What the run waits for after entering the step; undefined when the step completes immediately. */
function waitingFor(step: Step, key: string, now: Date): Waiting | undefined {
  const at = now.toISOString();
  switch (step.type) {
    case 'delay': {
      const until = step.for === undefined ? new Date(step.until ?? now) : new Date(now.getTime() + windowMs(step.for));
      return until > now ? { for: 'time', until: until.toISOString() } : undefined;
    }
    case 'branch':
      return { for: 'answer', key, since: at, at, asked: 0 };
    case 'webhook':
      return { for: 'webhook', key, at, attempts: 0, host: URL.parse(step.url)?.host ?? '' };
    default:
      return { for: 'effect', key, since: at, asked: 1 };
  }
}

function describeEntry(step: Step, waiting: Waiting): [LogEntry['what'], string] {
  switch (step.type) {
    case 'delay':
      return ['waiting', waiting.for === 'time' ? `Waiting until ${waiting.until}.` : ''];
    case 'branch':
      return ['waiting', 'Evaluating the rules.'];
    case 'send':
      return ['requested', `Sending the email "${step.subject}".`];
    case 'add_tag':
      return ['requested', `Adding the tag ${step.tag}.`];
    case 'remove_tag':
      return ['requested', `Removing the tag ${step.tag}.`];
    case 'update_contact':
      return ['requested', `Updating ${Object.keys(step.set).join(', ')}.`];
    case 'webhook':
      return ['requested', `Calling ${step.method} ${step.url}`];
    case 'exit':
      return ['ended', ''];
  }
}

const done = (run: Run, effects: Effect[], log: LogEntry[]): Advanced => ({ run, effects, wakeAt: wakeAtOf(run), log });

function ended(run: Run, state: 'completed' | 'exited' | 'failed' | 'cancelled', reason: string | null, log: LogEntry[]): Advanced {
  const detail = reason === null ? `Run ${state}.` : `Run ${state}: ${reason}`;
  return done({ ...run, state, reason, waiting: null }, [], [...log, entry(run.step, 'ended', detail)]);
}

const revisionAfter = (run: Run, input: Input) => ('revision' in input ? Math.max(run.revision, input.revision ?? 0) : run.revision);

function chainAfter(definition: Definition, run: Run, input: Input): string | null {
  const step = stepOf(definition, run.step);
  const rested =
    input.type === 'wake' && run.waiting?.for === 'time' && step?.type === 'delay' && step.for && windowMs(step.for) >= chainRestMs;
  return rested ? null : run.chain;
}

const stepOf = ({ steps }: Definition, id: string | null) => steps.find((step) => step.id === id);

/** The default next step. */
function nextOf(step: Step): string | null {
  if (step.type === 'branch') return step.else ?? null;
  return 'next' in step ? (step.next ?? null) : null;
}

const after = (now: Date, ms: number) => new Date(now.getTime() + ms).toISOString();
const entry = (step: string | null, what: LogEntry['what'], detail: string, key: string | null = null): LogEntry => ({
  step,
  what,
  detail,
  key,
});
