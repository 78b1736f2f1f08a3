import type { Contact } from '@mp/contracts/contact';
import { ApiError } from '@mp/contracts/errors';
import { RuleEvaluated } from '@mp/contracts/questions/segments';
import type { AccountId } from '@mp/ids';
import { compileRule } from '@mp/rules/compile';
import { dependenciesOf } from '@mp/rules/dependencies';
import type { Rule } from '@mp/rules/rule';
import type { Broker } from '@mp/service-kit/broker';

/** A simulated contact: as it is by then, and the segments that it has entered (true) or left (false) in the simulation. */
export type Subject = { contact: Contact; members: ReadonlyMap<string, boolean> };

/**
 * Whether a simulated contact matches a rule. Conditions on the contact's own fields are evaluated here, with the changes
 * of the simulation and at the simulated time, and so are conditions on segments that the simulation changed. Other conditions
 * on events, campaigns and segments are evaluated by the segments service for the stored contact. Throws SERVICE_UNAVAILABLE while segments has not applied the contact's latest change.
 */
export function createRuleHolds({ broker }: { broker: Pick<Broker, 'ask'> }) {
  async function asked(accountId: AccountId, rule: Rule, { id, revision }: Contact): Promise<boolean> {
    const reply = await broker.ask(RuleEvaluated, { account_id: accountId, contact_id: id, rule, at_least_revision: revision });
    if (reply.known) return reply.matches;
    throw new ApiError('SERVICE_UNAVAILABLE', 'The latest change of this contact has not reached the segments yet; retry.', {
      retryAfter: 1,
    });
  }

  return async function ruleHolds(accountId: AccountId, rule: Rule, subject: Subject, at: Date): Promise<boolean> {
    const { contact, members } = subject;
    const { fields, events, campaigns, segments } = dependenciesOf(rule);
    const own = segments.filter((id) => members.has(id));
    if (events.length + campaigns.length + segments.length === own.length) {
      const inside = new Set(own.filter((id) => members.get(id)));
      return compileRule(rule).matches({ contact, activities: () => [], segments: inside }, at).matches;
    }
    if (fields.length + own.length === 0) return asked(accountId, rule, contact);
    if ('not' in rule) return !(await ruleHolds(accountId, rule.not, subject, at));
    if ('all' in rule) {
      for (const part of rule.all) if (!(await ruleHolds(accountId, part, subject, at))) return false;
      return true;
    }
    if ('any' in rule) {
      for (const part of rule.any) if (await ruleHolds(accountId, part, subject, at)) return true;
    }
    return false;
  };
}
