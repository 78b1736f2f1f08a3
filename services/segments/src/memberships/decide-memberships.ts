import type { SegmentId } from '@mp/ids';
import type { Activity } from '@mp/rules/activity';
import type { ContactProfile } from '@mp/rules/contact-profile';
import type { Definition, DefinitionIndex } from '../segments/definition-index.ts';

export type Facts = {
  contact: ContactProfile;
  activities: ReadonlyMap<string, readonly Activity[]>;
  /** The segments the contact is in now. */
  inside: ReadonlySet<SegmentId>;
};

export type Decision = {
  entered: Definition[];
  left: Definition[];
  /** For definitions that depend on time, when the passage of time alone will change the result; null: never. */
  due: { definition: Definition; dueAt: Date | null }[];
  evaluated: number;
};

/**
 * Decides which memberships of one contact change when these segments are evaluated again, including those that depend on a
 * changed one. Definitions are ordered so that each follows those it depends on, so one pass is enough.
 */
export function decideMemberships(index: DefinitionIndex, segmentIds: Iterable<string>, facts: Facts, now: Date): Decision {
  const pending = new Set(segmentIds);
  const inside = new Set(facts.inside);
  const subject = { contact: facts.contact, activities: (name: string) => facts.activities.get(name) ?? [], segments: inside };
  const decision: Decision = { entered: [], left: [], due: [], evaluated: 0 };

  for (const definition of index.inOrder) {
    if (!pending.has(definition.id)) continue;
    const { matches, flipsAt } = definition.rule.matches(subject, now);
    decision.evaluated += 1;
    if (definition.rule.dependencies.time) decision.due.push({ definition, dueAt: flipsAt });
    if (matches === inside.has(definition.id)) continue;
    decision[matches ? 'entered' : 'left'].push(definition);
    if (matches) inside.add(definition.id);
    else inside.delete(definition.id);
    for (const dependent of index.dependents(definition.id)) pending.add(dependent);
  }
  return decision;
}
