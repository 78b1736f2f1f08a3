import type { Plan } from '@mp/move-in/plan';
import type { Counts, Written } from '@mp/move-in/state';
import { noCounts, plus } from '@mp/move-in/steps';

/** A part of an import as the page shows it. */
export type Group = { label: string; total: number; state: 'waiting' | 'active' | 'done'; counts: Counts };

const parts: readonly { label: string; owns: (step: string) => boolean; total: (plan: Plan) => number }[] = [
  { label: 'Suppressions', owns: (step) => step === 'suppressions', total: ({ suppressions }) => suppressions.length },
  { label: 'Lists', owns: (step) => step.startsWith('list '), total: ({ lists }) => lists.length },
  { label: 'Contacts', owns: (step) => /^(contacts|members)/.test(step), total: ({ rows }) => rows.length },
  { label: 'Templates', owns: (step) => step === 'templates', total: ({ templates }) => templates.length },
];

/** The parts of an import in their order, with how far each is. A part that a later one follows is done. */
export function groupsOf(plan: Plan, { steps }: Written, isOver: boolean): Group[] {
  const names = Object.keys(steps);
  const started = parts.map(({ owns }) => names.some(owns));
  const last = started.lastIndexOf(true);
  return parts.map(({ label, owns, total }, index) => {
    const own = names.filter((name) => owns(name) && !name.startsWith('members '));
    // A row that was rejected and came again with less counts once.
    const counts = own.reduce((sum, name) => {
      const of = steps[name]?.counts ?? noCounts;
      return plus(sum, `${name} reduced` in steps ? { ...of, failed: 0 } : of);
    }, noCounts);
    return { label, total: total(plan), counts, state: isOver || index < last ? 'done' : index === last ? 'active' : 'waiting' };
  });
}
