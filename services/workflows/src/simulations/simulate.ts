import { advance, wakeAtOf } from '../runs/advance.ts';
import { type Effect, type Input, isOpen, type LogEntry, type Run } from '../runs/run.ts';
import type { Definition } from '../workflows/definition.ts';
import type { Performed, World } from './world.ts';

export type Done = { at: Date; step: string; effect: Effect; performed: Performed };
export type Simulated = { run: Run; log: (LogEntry & { at: Date })[]; done: Done[] };

/** More changes than a workflow without loops makes; one with a loop is cut off here. */
const maxMoves = 1_000;

/** Keeps the response at a readable size. */
const maxMessageBytes = 8 * 1_048_576;

/**
 * Plays a run on a virtual clock with the function that advances live runs. Delays pass at once, and effects stay inside
 * `world`. Ends with the run, at `until`, or after 1,000 changes or 8 MiB of messages.
 */
export async function simulate(definition: Definition, run: Run, world: World, from: Date, until: Date): Promise<Simulated> {
  const simulated: Simulated = { run, log: [], done: [] };
  let now = from;
  let wanted: Effect | undefined;
  let bytes = 0;
  for (let moves = 0; moves < maxMoves && bytes < maxMessageBytes && isOpen(simulated.run); moves += 1) {
    const due = wakeAtOf(simulated.run);
    const { waiting, step } = simulated.run;
    if (waiting?.for === 'time' && due) {
      if (due > until) break;
      now = due > now ? due : now;
    }
    const at = now;
    let input: Input = { type: 'wake' };
    if (waiting !== null && waiting.for !== 'time' && wanted) {
      const effect = wanted;
      const performed = await world.perform(effect, step ?? '', at);
      input = performed.input;
      if (performed.isDone) simulated.done.push({ at, step: step ?? '', effect, performed });
      bytes += Buffer.byteLength(performed.message?.html ?? '') + Buffer.byteLength(performed.message?.text ?? '');
    }
    const { run: after, effects, log } = advance(definition, simulated.run, input, now);
    simulated.log.push(...log.map((entry) => ({ ...entry, at })));
    [wanted] = effects;
    simulated.run = after;
  }
  return simulated;
}
