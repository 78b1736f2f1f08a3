import type { Definition } from '../workflows/definition.ts';
import { advance, wakeAtOf } from './advance.ts';
import { type Effect, type Input, isOpen, type LogEntry, type Run } from './run.ts';

/** What the world outside answers in a simulation. */
export type World = {
  /** Which branch a step takes; null for `else`. */
  branch: (stepId: string) => Promise<number | null>;
  /** The steps whose effect is refused, or whose webhook keeps failing. */
  refused: ReadonlySet<string>;
};

export type Simulated = { run: Run; log: (LogEntry & { at: Date })[]; effects: { at: Date; step: string; effect: Effect }[] };

/** No workflow without a loop moves this often; one with a loop is cut off here. */
const mostMoves = 1_000;

/**
 * Lives a run under a virtual clock, by the same function that moves live ones: every delay passes at once, every effect
 * is only noted down. Ends with the run, at `until`, or after 1,000 moves.
 */
export async function simulate(definition: Definition, run: Run, world: World, from: Date, until: Date): Promise<Simulated> {
  const simulated: Simulated = { run, log: [], effects: [] };
  let now = from;
  for (let moves = 0; moves < mostMoves && isOpen(simulated.run); moves += 1) {
    const due = wakeAtOf(simulated.run);
    const { waiting } = simulated.run;
    if (waiting?.for === 'time' && due) {
      if (due > until) break;
      now = due > now ? due : now;
    }
    const input = await nextInput(simulated.run, world);
    const { run: after, effects, log } = advance(definition, simulated.run, input, now);
    const at = now;
    simulated.log.push(...log.map((entry) => ({ ...entry, at })));
    simulated.effects.push(...effects.map((effect) => ({ at, step: after.step ?? '', effect })));
    simulated.run = after;
  }
  return simulated;
}

async function nextInput({ waiting, step }: Run, { branch, refused }: World): Promise<Input> {
  if (waiting === null || waiting.for === 'time') return { type: 'wake' };
  const { key } = waiting;
  const isRefused = step !== null && refused.has(step);
  switch (waiting.for) {
    case 'answer':
      return { type: 'answered', key, taken: await branch(step ?? ''), revision: 0 };
    case 'webhook': {
      const outcome = isRefused
        ? { ok: false, detail: 'Refused in this simulation.' }
        : { ok: true, detail: 'Not called in a simulation.' };
      return { type: 'webhook_answered', key, outcome: { ...outcome, retry: false, status: null } };
    }
    case 'effect':
      return isRefused
        ? { type: 'effect_completed', key, status: 'refused', reason: 'Refused in this simulation.', revision: null }
        : { type: 'effect_completed', key, status: 'done', reason: null, revision: null };
  }
}
