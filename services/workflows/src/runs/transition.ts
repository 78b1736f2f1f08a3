import type { ContactId } from '@mp/ids';
import type { Definition } from '../workflows/definition.ts';
import { nextOf, type Step } from '../workflows/step.ts';
import type { Effect, LogEntry, Waiting } from './run.ts';

/** What an input means for a run, before the run itself changes. */
export type Transition =
  | { kind: 'nothing' }
  /** `capped` is as in `Run`. */
  | { kind: 'wait'; waiting: Waiting; effects?: Effect[]; log?: LogEntry[]; capped?: string }
  /** With `again`, the run is at the step already. */
  | { kind: 'enter'; step: string | null; log: LogEntry[]; captured?: Record<string, unknown>; again?: true }
  | { kind: 'note'; engaged: string }
  | { kind: 'stay'; contactId?: ContactId; version?: number; log: LogEntry[] }
  | { kind: 'end'; state: 'exited' | 'failed' | 'cancelled'; reason: string | null; log?: LogEntry[] }
  /** `at` is when the goal happened. */
  | { kind: 'convert'; goal: string; at: string; log: LogEntry[] };

export const nothing: Transition = { kind: 'nothing' };

export const entry = (step: string | null, what: LogEntry['what'], detail: string, key: string | null = null): LogEntry => ({
  step,
  what,
  detail,
  key,
});

export const continuing = (to: string | null) => (to === null ? 'the run ends' : `continuing with ${to}`);

export const after = (now: Date, ms: number) => new Date(now.getTime() + ms).toISOString();

/** Skips a step that failed, or fails the run if `on_error` is `exit`. */
export function failure(definition: Definition, step: Step, reason: string, key: string): Transition {
  const log = [entry(step.id, 'skipped', reason, key)];
  if (definition.on_error === 'exit') return { kind: 'end', state: 'failed', reason, log };
  return { kind: 'enter', step: nextOf(step), log };
}

/** Fails the run until a user fixes the cause and retries it, whatever `on_error` says. */
export const fault = (step: Step, reason: string, key: string): Transition => ({
  kind: 'end',
  state: 'failed',
  reason,
  log: [entry(step.id, 'skipped', reason, key)],
});
