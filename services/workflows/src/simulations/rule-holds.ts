import type { Contact } from '@mp/contracts/contact';
import { RuleEvaluated } from '@mp/contracts/requests/segments';
import type { AccountId } from '@mp/ids';
import { dependenciesOf } from '@mp/rules/dependencies';
import type { Rule } from '@mp/rules/rule';
import { compileRule } from '@mp/rules/rule-predicate';
import { pause } from '@mp/service-kit/backoff';
import type { Broker } from '@mp/service-kit/broker';

/** A simulated contact: as it is by then, and the segments that it has entered (true) or left (false) in the simulation. */
export type Subject = { contact: Contact; members: ReadonlyMap<string, boolean> };

const lookAgainMs = 100;

/**
 * Whether a simulated contact matches a rule. Conditions on the contact's own fields are evaluated here, with the changes
 * of the simulation and at the simulated time, and so are conditions on segments that the simulation changed. Other conditions
 * on events, campaigns, forms and segments are evaluated by the segments service for the stored contact. Waits until `giveUpAt` (a
 * `performance.now()` time) for segments to apply the contact's latest change; after that, they are evaluated on what segments knows,
 * and `isBehind` is true. Throws SERVICE_UNAVAILABLE when segments does not reply.
 */
export function createRuleHolds({ broker }: { broker: Pick<Broker, 'request'> }, giveUpAt: number) {
  let isBehind = false;

  async function evaluateElsewhere(accountId: AccountId, rule: Rule, contact: Contact, at: Date): Promise<boolean> {
    const { id, revision } = contact;
    const evaluate = (at_least_revision: number) =>
      broker.request(RuleEvaluated, { account_id: accountId, contact_id: id, rule, at_least_revision });
    for (;;) {
      const reply = await evaluate(revision);
      if (reply.known) return reply.matches;
      if (performance.now() > giveUpAt) break;
      await pause(lookAgainMs);
    }
    isBehind = true;
    const { known, matches } = await evaluate(0);
    // A contact that segments does not know has no events, emails or memberships there.
    return known ? matches : compileRule(rule).matches({ contact, activities: () => [], segments: new Set() }, at).matches;
  }

  async function holds(accountId: AccountId, rule: Rule, subject: Subject, at: Date): Promise<boolean> {
    const { contact, members } = subject;
    const { fields, events, campaigns, forms, segments } = dependenciesOf(rule);
    const own = segments.filter((id) => members.has(id));
    if (events.length + campaigns.length + forms.length + segments.length === own.length) {
      const inside = new Set(own.filter((id) => members.get(id)));
      return compileRule(rule).matches({ contact, activities: () => [], segments: inside }, at).matches;
    }
    if (fields.length + own.length === 0) return evaluateElsewhere(accountId, rule, contact, at);
    if ('not' in rule) return !(await holds(accountId, rule.not, subject, at));
    if ('all' in rule) {
      for (const part of rule.all) if (!(await holds(accountId, part, subject, at))) return false;
      return true;
    }
    if ('any' in rule) {
      for (const part of rule.any) if (await holds(accountId, part, subject, at)) return true;
    }
    return false;
  }

  return { holds, isBehind: () => isBehind };
}
