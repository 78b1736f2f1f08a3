import { trustedId } from '@mp/ids';
import { aContact } from '@mp/test-kit/a-contact';
import { advance } from '../src/runs/advance.ts';
import { awaitedEffect } from '../src/runs/effect-of.ts';
import { type Effect, type Input, isOpen, type Occurred, type Run } from '../src/runs/run.ts';
import { wakeAtOf } from '../src/runs/wake-at.ts';
import type { Definition } from '../src/workflows/definition.ts';

/** When every played run begins. */
export const begin = new Date('2026-01-01T00:00:00.000Z');
export const newRun = ({ steps }: Definition): Run => ({
  id: trustedId<'run'>('run_1'),
  workflow_id: trustedId<'workflow'>('workflow_1'),
  version: 1,
  contact_id: trustedId<'contact'>('contact_1'),
  state: 'active',
  reason: null,
  step: steps[0]?.id ?? null,
  waiting: null,
  sequence: 0,
  revision: 1,
  chain: null,
  began: begin.toISOString(),
  reached: begin.toISOString(),
  sent: {},
  engaged: [],
  responses: {},
  data: {},
});

type Recorded = { input: Input; now: Date };
type Life = { runs: Run[]; effects: Effect[]; inputs: Recorded[] };

/** Plays a run: `chance` decides what other services reply, how late, and whether a reply arrives twice. */
export function live(definition: Definition, chance: readonly number[], most: number): Life {
  let next = 0;
  // Each pass through the dice adds one, so that no sequence of replies repeats forever.
  const roll = (sides: number) => {
    const pass = Math.floor(next / chance.length);
    return ((chance[next++ % chance.length] ?? 0) + pass) % sides;
  };
  let run = newRun(definition);
  const life: Life = { runs: [run], effects: [], inputs: [] };
  let wanted: Effect | undefined;
  let now = begin;
  let last: Input = { type: 'wake' };
  for (let turn = 0; turn < most && isOpen(run); turn += 1) {
    const input: Input = roll(8) === 0 ? last : happens(run, wanted, roll, now.toISOString());
    const due = wakeAtOf(run);
    if (input.type === 'wake' && due && due > now) now = new Date(due.getTime() + roll(3));
    const result = advance(definition, run, input, now);
    life.inputs.push({ input, now });
    life.effects.push(...result.effects);
    // As the engine does: a run that waits for a reply is asked for it again, even when its change requested nothing.
    if (result.run !== run) wanted = result.effects[0] ?? awaitedEffect(definition, result.run);
    run = result.run;
    life.runs.push(run);
    last = input;
  }
  return life;
}

const ordered: Occurred = { type: 'event', name: 'order_placed', properties: { total: 20 }, value: null };
const contact = aContact({ timezone: 'Europe/Berlin', attributes: { renewal: '2026-01-05' } });
const occurrences: Occurred[] = [
  ordered,
  { ...ordered, properties: { total: 2_000 } },
  { type: 'message_clicked', effect_key: 'run_1:1' },
  { type: 'contact', contact: { ...contact, tags: ['x'] } },
  { type: 'contact', contact: { ...contact, status: 'unsubscribed' } },
];

function happens(run: Run, wanted: Effect | undefined, roll: (sides: number) => number, at: string): Input {
  const { waiting } = run;
  if (roll(10) === 9) return { type: 'occurred', occurred: occurrences[roll(occurrences.length)] ?? ordered, at };
  if (waiting === null || waiting.for === 'time' || waiting.for === 'event') return { type: 'wake' };
  if (waiting.for === 'capacity') return { type: 'admitted' };
  const { key } = waiting;
  switch (waiting.for) {
    case 'effect':
      if (roll(6) === 0) return { type: 'wake' };
      return {
        type: 'effect_completed',
        key,
        status: roll(4) === 0 ? 'refused' : 'done',
        reason: wanted?.type === 'send' ? 'frequency_cap' : 'r',
        revision: roll(9),
      };
    case 'answer':
      if (wanted?.type === 'track' || wanted?.type === 'start' || wanted?.type === 'member') {
        return { type: 'effect_completed', key, status: roll(4) === 0 ? 'refused' : 'done', reason: 'r', revision: null };
      }
      if (wanted?.type === 'look_up') {
        return { type: 'looked_up', key, contact: roll(4) === 0 ? null : contact, revision: roll(9) };
      }
      return roll(4) === 0
        ? { type: 'unanswered', key, revision: roll(9) }
        : { type: 'answered', key, taken: roll(3) === 0 ? null : roll(2), revision: roll(9) };
    default: {
      const ok = roll(2) === 0;
      return { type: 'webhook_answered', key, outcome: { ok, retry: roll(2) === 0, status: 200, detail: 'd' } };
    }
  }
}
