import { advance } from '../runs/advance.ts';
import { type Effect, type Input, isOpen, type LogEntry, type Run } from '../runs/run.ts';
import { wakeAtOf } from '../runs/wake-at.ts';
import type { Definition } from '../workflows/definition.ts';
import type { Performed, SimulatedEffects } from './simulated-effects.ts';
import { occurredIn, type Scheduled } from './timeline.ts';

export type Done = { at: Date; step: string; effect: Effect; performed: Performed };
/** `isAdmitted`: a run of a workflow with a limit took its first step. */
export type Simulated = { run: Run; log: (LogEntry & { at: Date })[]; done: Done[]; isAdmitted: boolean };

/** More changes than a workflow without loops makes; one with a loop is cut off here. */
const maxMoves = 1_000;

/** Keeps the response at a readable size. */
const maxMessageBytes = 8 * 1_048_576;

type Play = {
  definition: Definition;
  run: Run;
  simulatedEffects: SimulatedEffects;
  from: Date;
  until: Date;
  /** When a run of a workflow with a limit is admitted; undefined if that does not happen. */
  admittedAt?: Date | undefined;
  timeline?: readonly Scheduled[];
};

/**
 * Plays a run on a virtual clock with the function that advances live runs. Delays pass at once, and effects stay inside
 * `simulatedEffects`. What the timeline says happens at its time. Ends with the run, at `until`, or after 1,000 changes or 8 MiB of
 * messages.
 */
export async function simulate({ definition, run, simulatedEffects, from, until, admittedAt, timeline = [] }: Play): Promise<Simulated> {
  const simulated: Simulated = { run, log: [], done: [], isAdmitted: false };
  const upcoming = [...timeline];
  let now = from;
  let wanted: Effect | undefined;
  let bytes = 0;

  function move(input: Input) {
    const { run: next, effects, log } = advance(definition, simulated.run, input, now);
    simulated.log.push(...log.map((entry) => ({ ...entry, at: now })));
    if (next !== simulated.run) [wanted] = effects;
    simulated.run = next;
  }

  const contactChanged = () => {
    const contact = simulatedEffects.contact();
    if (contact && isOpen(simulated.run)) move({ type: 'occurred', occurred: { type: 'contact', contact }, at: now.toISOString() });
  };

  function happens({ item, at }: Scheduled) {
    now = at > now ? at : now;
    if (item.type === 'contact_updated') {
      if (simulatedEffects.change({ type: 'update_contact', members: item.set }, now)) contactChanged();
      return;
    }
    const occurred = occurredIn(item, simulated.run);
    if (occurred) move({ type: 'occurred', occurred, at: at.toISOString() });
  }

  for (let moves = 0; moves < maxMoves && bytes < maxMessageBytes && isOpen(simulated.run); moves += 1) {
    const { run: playing } = simulated;
    const { waiting, step } = playing;
    if (waiting !== null && (waiting.for === 'time' || waiting.for === 'event' || waiting.for === 'capacity')) {
      const due = waiting.for === 'capacity' ? admittedAt : wakeAtOf(simulated.run);
      const [next] = upcoming;
      if (next && (!due || next.at <= due) && next.at <= until) {
        upcoming.shift();
        happens(next);
        continue;
      }
      if (!due || due > until) break;
      now = due > now ? due : now;
    }
    if (waiting?.for === 'capacity') {
      simulated.isAdmitted = true;
      move({ type: 'admitted' });
      continue;
    }
    if (waiting === null || waiting.for === 'time' || waiting.for === 'event' || !wanted) {
      move({ type: 'wake' });
      continue;
    }
    const effect = wanted;
    const performed = await simulatedEffects.perform(effect, playing, now);
    if (performed.isDone) simulated.done.push({ at: now, step: step ?? '', effect, performed });
    bytes += Buffer.byteLength(performed.message?.html ?? '') + Buffer.byteLength(performed.message?.text ?? '');
    move(performed.input);
    if (effect.type === 'contact' && performed.isDone) contactChanged();
    if (performed.occurred) move({ type: 'occurred', occurred: performed.occurred, at: now.toISOString() });
  }
  return simulated;
}
