import type { ReportEvent } from '../events/report-events.ts';

/** How far a person got: the times of the steps, and the event with which it entered. */
export type Attempt = { person: string; times: readonly number[]; entry: ReportEvent };

/** An entry with the times of the steps that followed it. */
type Chain = { times: number[]; entry: ReportEvent };

type Definition = {
  /** One per step: whether an event is that step. */
  steps: readonly ((event: ReportEvent) => boolean)[];
  windowMs: number;
  /** Whether no other action may happen between two steps. */
  isStrict: boolean;
  /** Called once for each person that entered. */
  onPerson: (attempt: Attempt) => void;
};

/** Built-in events that are not actions of the person; in a strict funnel, they do not matter unless they are a step. */
const passive = new Set(['$engagement', '$identify', '$session_end']);

/**
 * Evaluates a funnel over events sorted by person and time. Every event that is the first step is an entry. After it, the
 * steps must happen in order, each with its own event, within the window. Other events in between do not matter, or end
 * the attempt if the funnel is strict. Of a person's entries, the one that first reaches the furthest step counts; if several do so with the same event, the latest of them.
 *
 * One pass and one chain per step suffice: of all entries that have reached a step, the latest has the most time left, so it
 * reaches every later step that any of them can reach.
 */
export function createFunnelEvaluator({ steps, windowMs, isStrict, onPerson }: Definition) {
  let person: string | undefined;
  let chains: (Chain | undefined)[] = [];
  let best: Chain | undefined;

  function finish() {
    if (person !== undefined && best) onPerson({ person, times: best.times, entry: best.entry });
  }

  function extend(index: number, event: ReportEvent, known: typeof chains) {
    const at = event.time.getTime();
    const before = known[index - 1];
    if (index > 0 && (!before || at - (before.times[0] ?? 0) > windowMs)) return;
    // The same entry has already reached this step, earlier.
    if (before && chains[index]?.entry === before.entry) return;
    const chain = before ? { entry: before.entry, times: [...before.times, at] } : { entry: event, times: [at] };
    chains[index] = chain;
    if (!best || chain.times.length > best.times.length) best = chain;
  }

  return {
    add(event: ReportEvent) {
      if (event.person !== person) {
        finish();
        person = event.person;
        chains = [];
        best = undefined;
      }
      const isStep = steps.map((is) => is(event));
      if (isStrict && passive.has(event.name) && !isStep.includes(true)) return;
      const known = chains;
      if (isStrict) chains = [];
      // The last step first, so that an event is not two steps of one chain.
      for (let index = steps.length - 1; index >= 0; index -= 1) if (isStep[index]) extend(index, event, known);
    },

    /** Reports the last person. */
    finish,
  };
}

/** The middle of the numbers; with an even number of them, the mean of the two middle ones. Null if there are none. */
export function medianOf(numbers: number[]): number | null {
  const sorted = Float64Array.from(numbers).sort();
  const half = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[sorted.length % 2 === 0 ? half - 1 : half], sorted[half]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
