import type { Contact } from '@mp/contracts/contact';
import type { ContactId } from '@mp/ids';
import type { Rule } from '@mp/rules/rule';
import { compileRule } from '@mp/rules/rule-predicate';
import type { Subject } from '@mp/rules/subject';
import type { NewActivity } from '../src/activities/activity.ts';

/** A segment with its rule; null for a static one. */
export type Definition = { id: string; definition: Rule | null };

type State = {
  contacts: Iterable<Contact>;
  /** Whether the contact is a member of this static segment. */
  isListed: (segmentId: string, contactId: ContactId) => boolean;
  activitiesOf: (contactId: ContactId, name: string) => NewActivity[];
  now: Date;
};

/** The members of each segment, in order, found by evaluating every rule for every contact. */
export function expectedMembers(
  definitions: readonly Definition[],
  { contacts, isListed, activitiesOf, now }: State,
): Map<string, string[]> {
  const members = new Map(definitions.map(({ id }): [string, string[]] => [id, []]));
  const byId = new Map(definitions.map((definition) => [definition.id, definition]));
  for (const contact of contacts) {
    const results = new Map<string, boolean>();
    const isMember = (id: string): boolean => {
      const known = results.get(id);
      const definition = byId.get(id);
      if (known !== undefined || !definition) return known ?? false;
      if (definition.definition === null) return isListed(id, contact.id);
      const rule = compileRule(definition.definition);
      const segments = new Set(rule.dependencies.segments.filter(isMember));
      const subject: Subject = { contact, segments, activities: (name) => activitiesOf(contact.id, name) };
      const { matches } = rule.matches(subject, now);
      results.set(id, matches);
      return matches;
    };
    for (const { id } of definitions) if (isMember(id)) members.get(id)?.push(contact.id);
  }
  for (const ids of members.values()) ids.sort();
  return members;
}
