import type { Contact } from '@mp/contracts/contact';
import { ApiError } from '@mp/contracts/errors';
import { RuleEvaluated } from '@mp/contracts/questions/segments';
import type { AccountId } from '@mp/ids';
import { compileRule } from '@mp/rules/compile';
import { dependenciesOf } from '@mp/rules/dependencies';
import type { Rule } from '@mp/rules/rule';
import type { Broker } from '@mp/service-kit/broker';

/**
 * Whether a simulated contact matches a rule. Conditions on the contact's own fields are evaluated here, with the changes
 * of the simulation and at the simulated time. Conditions on events, campaigns and segments are evaluated by the segments
 * service for the stored contact. Throws SERVICE_UNAVAILABLE while segments has not applied the contact's latest change.
 */
export function createRuleHolds({ broker }: { broker: Pick<Broker, 'ask'> }) {
  async function asked(accountId: AccountId, rule: Rule, { id, revision }: Contact): Promise<boolean> {
    const reply = await broker.ask(RuleEvaluated, { account_id: accountId, contact_id: id, rule, at_least_revision: revision });
    if (reply.known) return reply.matches;
    throw new ApiError('SERVICE_UNAVAILABLE', 'The latest change of this contact has not reached the segments yet; retry.', {
      retryAfter: 1,
    });
  }

  return async function ruleHolds(accountId: AccountId, rule: Rule, contact: Contact, at: Date): Promise<boolean> {
    const { fields, events, campaigns, segments } = dependenciesOf(rule);
    if (events.length + campaigns.length + segments.length === 0) {
      return compileRule(rule).matches({ contact, activities: () => [], segments: new Set() }, at).matches;
    }
    if (fields.length === 0) return asked(accountId, rule, contact);
    if ('not' in rule) return !(await ruleHolds(accountId, rule.not, contact, at));
    if ('all' in rule) {
      for (const part of rule.all) if (!(await ruleHolds(accountId, part, contact, at))) return false;
      return true;
    }
    if ('any' in rule) {
      for (const part of rule.any) if (await ruleHolds(accountId, part, contact, at)) return true;
    }
    return false;
  };
}
