import { windowMs } from '@mp/rules/duration';
import type { Definition } from '../workflows/definition.ts';
import { nextOf, type Step } from '../workflows/step.ts';
import { applyOccurrence, happenedAt } from './apply-occurrence.ts';
import { awaitedEffect, dataBranch, rulesOf } from './effect-of.ts';
import { done, ended, sending, stepOf, takenBranch, walk } from './enter-steps.ts';
import { cappedAfter, cappedVerdict, waitsForCap } from './frequency-cap.ts';
import { cannotMove } from './move-version.ts';
import { type Advanced, type Input, isOpen, type LogEntry, type Passage, type Run, type Waiting } from './run.ts';
import { takeContactStep } from './take-contact-step.ts';
import { after, continuing, entry, failure, fault, nothing, type Transition } from './transition.ts';
import { retryLater } from './unanswered-retries.ts';
import { repeatsMs, wakeAtOf } from './wake-at.ts';
import { called } from './webhook-step-retries.ts';

const noReply = 'No reply within a day.';

/** After a delay this long, a run is no longer part of the chain of effects that started it. */
const chainRestMs = 60 * 60_000;

/**
 * Decides everything about a run: given an input, its next state, the effects to request and when to wake it. It is a pure
 * function without clock, I/O or randomness, so the live engine, the simulation and the replay of a recorded run cannot
 * differ.
 *
 * An input that does not apply, such as a reply that arrives twice, returns the same run object. A change raises
 * `sequence` by one and requests at most one effect, whose key is `run:sequence`.
 */
export function advance(definition: Definition, before: Run, input: Input, now: Date): Advanced {
  const transition = decide(definition, before, input, now);
  if (transition.kind === 'nothing') return { run: before, effects: [], wakeAt: wakeAtOf(before), log: [], passages: [] };

  const sequence = before.sequence + 1;
  const { capped: _, ...rest } = before;
  const run: Run = {
    ...rest,
    ...cappedAfter(before, transition, input),
    sequence,
    revision: revisionAfter(before, input),
    ...(input.type === 'answered' && { after: [] }),
    chain: chainAfter(definition, before, input),
    ...(input.type === 'rerun' && { began: now.toISOString() }),
    reached: reachedAfter(before, transition, input, now),
  };
  switch (transition.kind) {
    case 'wait':
      return done(
        sending({ ...run, state: 'waiting', waiting: transition.waiting }, transition.effects ?? []),
        transition.effects ?? [],
        transition.log ?? [],
      );
    case 'note':
      return done({ ...run, engaged: [...run.engaged, transition.engaged] }, [], []);
    case 'stay':
      return done(
        { ...run, contact_id: transition.contactId ?? run.contact_id, version: transition.version ?? run.version },
        [],
        transition.log,
      );
    case 'end':
      return ended(run, transition.state, transition.reason, transition.log ?? []);
    case 'convert':
      return ended({ ...run, converted_at: transition.at }, 'converted', transition.goal, transition.log);
    case 'enter':
      return entered({ definition, before, run: withCaptured(run, before.step, transition.captured), input, transition, now });
  }
}

type Entering = { definition: Definition; before: Run; run: Run; input: Input; transition: Transition & { kind: 'enter' }; now: Date };

/** Continues with a step, or stays in front of it while the input holds the run. */
function entered({ definition, before, run, input, transition, now }: Entering): Advanced {
  const first = transition.again ? [] : [leaving(before, input, transition.step, now)];
  if (transition.step !== null && 'hold' in input && input.hold) {
    return passing(done({ ...run, state: 'active', step: transition.step, waiting: null }, [], transition.log), first, now);
  }
  const { visited, ...walked } = walk(definition, run, { first: transition.step, log: transition.log, now });
  const onward = visited.map((from, index) => ({
    from,
    to: visited[index + 1] ?? null,
    seconds: transition.again && index === 0 ? secondsAt(before, now) : 0,
  }));
  // A run that waits or ends at its last step has not left it.
  return passing(walked, [...first, ...(walked.run.step === null ? onward : onward.slice(0, -1))], now);
}

/** What leaving the current step for `to` counts as. */
const leaving = (before: Run, input: Input, to: string | null, now: Date): Passage => ({
  from: input.type === 'rerun' ? null : before.step,
  to,
  seconds: secondsAt(before, now),
});

/** How long the run has been at its step. */
const secondsAt = ({ since }: Run, now: Date) => (since === undefined ? 0 : Math.max(0, (now.getTime() - Date.parse(since)) / 1_000));

/** Records when the run reached its step. */
const passing = (advanced: Advanced, passages: readonly Passage[], now: Date): Advanced =>
  passages.length === 0 ? advanced : { ...advanced, passages, run: { ...advanced.run, since: now.toISOString() } };

/** Whether quiet hours or the frequency cap hold the email of the run. */
const isHeld = ({ waiting }: Run) => waiting?.for === 'time' && waiting.held !== undefined;

function decide(definition: Definition, run: Run, input: Input, now: Date): Transition {
  if (input.type === 'retry') {
    return run.state === 'failed' ? { kind: 'enter', step: run.step, log: [entry(run.step, 'retried', 'Retried.')], again: true } : nothing;
  }
  if (input.type === 'rerun')
    return { kind: 'enter', step: input.step, log: [entry(input.step, 'retried', 'Running again from this step.')] };
  if (!isOpen(run)) return nothing;
  if (input.type === 'skip') return skipped(definition, run);
  if (input.type === 'cancel') return { kind: 'end', state: 'cancelled', reason: 'cancelled' };
  if (input.type === 'exit') return { kind: 'end', state: 'exited', reason: input.reason };
  if (input.type === 'moved_contact') return { kind: 'stay', contactId: input.to, log: [entry(null, 'moved', input.why)] };
  if (input.type === 'moved_version') return moved(definition, run, input.version);
  if (input.type === 'occurred') return applyOccurrence(definition, run, input, now);
  if (input.type === 'admitted') return run.waiting?.for === 'capacity' ? { kind: 'enter', step: run.step, log: [], again: true } : nothing;
  const { waiting } = run;
  if (input.type === 'recheck') return isHeld(run) ? { kind: 'enter', step: run.step, log: [], again: true } : nothing;
  if (waiting === null) {
    if (input.type !== 'wake') return nothing;
    const log = run.sequence === 0 ? [entry(null, 'started', 'Run started.')] : [];
    if (run.sequence > 0 || definition.max_concurrent === null) return { kind: 'enter', step: run.step, log, again: true };
    log.push(entry(run.step, 'waiting', `Waiting until fewer than ${definition.max_concurrent} runs are open.`));
    return { kind: 'wait', waiting: { for: 'capacity' }, log };
  }
  const step = stepOf(definition, run.step);
  if (!step) return { kind: 'end', state: 'failed', reason: 'step_missing' };
  if (input.type === 'wake') return awake(definition, run, { step, waiting, now });
  if (waiting.for === 'time' || waiting.for === 'capacity' || waiting.key !== input.key) return nothing;
  switch (input.type) {
    case 'effect_completed':
      if (input.status === 'refused' && input.fault) return fault(step, input.reason ?? 'failed', waiting.key);
      if (input.status === 'refused' && waitsForCap(step, input)) return cappedVerdict(definition, run, { step, input, now });
      if (input.status === 'refused') return failure(definition, step, input.reason ?? 'refused', waiting.key);
      return { kind: 'enter', step: nextOf(step), log: [doneEntry(step, waiting)] };
    case 'answered':
      return waiting.for === 'answer' ? replied(run, step, waiting, input.taken) : nothing;
    case 'looked_up':
      return waiting.for === 'answer' ? takeContactStep(definition, run, { step, input, now }) : nothing;
    case 'unanswered':
      return waiting.for === 'answer' ? retryLater(step, waiting, now) : nothing;
    case 'webhook_answered':
      return waiting.for === 'webhook' ? called(definition, step, { waiting, outcome: input.outcome, now }) : nothing;
  }
}

function doneEntry(step: Step, waiting: Waiting & { key: string }): LogEntry {
  const variant = waiting.for === 'effect' ? waiting.variant : undefined;
  if (variant === undefined) return entry(step.id, 'done', 'Done.', waiting.key);
  return { ...entry(step.id, 'done', `Done: the variant "${variant}" was sent.`, waiting.key), variant };
}

function awake(definition: Definition, run: Run, { step, waiting, now }: { step: Step; waiting: Waiting; now: Date }): Transition {
  if (waiting.for === 'time' || waiting.for === 'event') {
    return Date.parse(waiting.until) > now.getTime() ? nothing : timeout(step);
  }
  if (waiting.for !== 'effect') return nothing;
  const repeatAt = Date.parse(waiting.since) + (repeatsMs[waiting.asked - 1] ?? 0);
  if (repeatAt > now.getTime()) return nothing;
  if (waiting.asked >= repeatsMs.length) return failure(definition, step, noReply, waiting.key);
  const attempts = waiting.asked + 1;
  const effect = awaitedEffect(definition, run);
  return {
    kind: 'wait',
    waiting: { ...waiting, asked: attempts },
    effects: effect ? [effect] : [],
    log: [entry(step.id, 'repeated', `No reply yet; retrying (attempt ${attempts} of ${repeatsMs.length}).`, waiting.key)],
  };
}

function moved(definition: Definition, run: Run, version: number): Transition {
  if (cannotMove(run, stepOf(definition, run.step)?.type)) return nothing;
  const text = `Moved from version ${run.version} to version ${version} of the workflow.`;
  return { kind: 'stay', version, log: [entry(run.step, 'moved', text)] };
}

function skipped(definition: Definition, run: Run): Transition {
  const step = stepOf(definition, run.step);
  return step ? { kind: 'enter', step: nextOf(step), log: [entry(step.id, 'skipped', 'Skipped by a user.')] } : nothing;
}

/** The time that a step waited for has come. */
function timeout(step: Step): Transition {
  switch (step.type) {
    case 'wait_until': {
      const to = step.on_timeout ?? null;
      return { kind: 'enter', step: to, log: [entry(step.id, 'taken', `Nothing happened within ${step.timeout}; ${continuing(to)}.`)] };
    }
    case 'goal':
      return { kind: 'enter', step: nextOf(step), log: [entry(step.id, 'skipped', `The goal was not reached within ${step.within}.`)] };
    case 'send':
      return { kind: 'enter', step: step.id, log: [], again: true };
    default:
      return { kind: 'enter', step: nextOf(step), log: [entry(step.id, 'done', 'Delay ended.')] };
  }
}

function replied(run: Run, step: Step, waiting: Waiting & { for: 'answer' }, index: number | null): Transition {
  if (step.type === 'branch') {
    const { to, log } = takenBranch(step, index ?? dataBranch(step, run));
    return { kind: 'enter', step: to, log };
  }
  if (step.type !== 'wait_until' || waiting.until === undefined) return nothing;
  const happened = index === null ? undefined : rulesOf(step)[index]?.occurrence;
  if (happened) return happenedAt(step, happened);
  const { key, until } = waiting;
  return { kind: 'wait', waiting: { for: 'event', key, until }, log: [entry(step.id, 'waiting', `Waiting until ${until} at the latest.`)] };
}

const withCaptured = (run: Run, step: string | null, captured: Record<string, unknown> = {}): Run =>
  step === null || Object.keys(captured).length === 0 ? run : { ...run, responses: { ...run.responses, [step]: captured } };

/** An event that ended a wait does not end the next one. Steps that are only evaluated do not count as waiting. */
function reachedAfter(before: Run, transition: Transition, input: Input, now: Date): string {
  if (input.type === 'rerun') return now.toISOString();
  if (transition.kind !== 'enter' || before.waiting === null) return before.reached;
  if (input.type === 'occurred') return after(new Date(input.at), 1);
  return before.waiting.for === 'answer' ? before.reached : now.toISOString();
}

const revisionAfter = (run: Run, input: Input) => ('revision' in input ? Math.max(run.revision, input.revision ?? 0) : run.revision);

function chainAfter(definition: Definition, run: Run, input: Input): string | null {
  const step = stepOf(definition, run.step);
  const rested =
    input.type === 'wake' && run.waiting?.for === 'time' && step?.type === 'delay' && step.for && windowMs(step.for) >= chainRestMs;
  return rested ? null : run.chain;
}
